// From bytes to rows: svmlight (LIBSVM) text.
//
//   line   label [qid:number] index:value index:value ...  # comment
//
// Blanks (spaces, tabs) stand between the parts, indices increase along a line, a line ends in \n or
// \r\n, and a line without a label is empty or a comment. Why a line is refused is said in Python.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "decimal.hpp"

namespace rosenblatt {

// An array that grows, and can be given away. malloc, because realloc moves pages, not bytes.
template <class T>
class Growing {
 public:
  Growing() = default;
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;
  ~Growing() { std::free(data); }

  // Room for `more` beyond `size`. False: there is no memory.
  bool reserve(int64_t more) {
    if (size + more <= capacity) return true;
    const int64_t wanted = size + more + size / 2 + 64;
    void* moved = std::realloc(data, size_t(wanted) * sizeof(T));
    if (moved == nullptr) return false;
    data = static_cast<T*>(moved);
    capacity = wanted;
    return true;
  }

  // The array, now the caller's to free, in no more memory than it needs.
  T* release() {
    void* fitted = std::realloc(data, size_t(size + 1) * sizeof(T));  // never 0 bytes
    T* mine = fitted == nullptr ? data : static_cast<T*>(fitted);
    data = nullptr;
    size = capacity = 0;
    return mine;
  }

  T* data = nullptr;
  int64_t size = 0, capacity = 0;
};

// How reading a block of lines ended: all of it or enough rows; a line that is refused; no memory.
enum class Reading { fine, refused, no_memory };

class SvmlightReader {
 public:
  static constexpr int64_t most_index = std::numeric_limits<int64_t>::max() - 1;

  // Reads whole lines of [begin, end) until `more` rows are added; `begin` moves to the first line
  // that was not read: not needed, not finished, or refused. Behind `end` there is `slack`.
  Reading read(const char*& begin, const char* end, int64_t more) {
    // Every line that is read ends in '\n', which is in no part of it: no need to ask for the end.
    while (end > begin && end[-1] != '\n') --end;
    const int64_t bytes = end - begin;
    if (!value.reserve(most_entries(bytes)) || !start.reserve(1)) return Reading::no_memory;
    if (start.size == 0) start.data[start.size++] = 0;
    const int64_t enough = more > bytes ? label.size + bytes : label.size + more;
    while (begin < end && label.size < enough) {
      const Reading reading = is_wide ? read_lines(begin, end, enough, wide)
                                      : read_lines(begin, end, enough, narrow);
      if (reading != Reading::fine) return reading;
    }
    return Reading::fine;
  }

  // What the rows are made of; row i is entries start[i] .. start[i + 1].
  Growing<double> value, label;
  Growing<int64_t> start, wide;
  Growing<int32_t> narrow;  // the indices, as they are in the text, until one does not fit
  bool is_wide = false;

  // What was seen since the beginning.
  int64_t lines = 0, rows = 0, entries = 0, comments = 0, queries = 0;
  int64_t least = most_index, least_line = 0;  // the smallest index, and the first line that has it
  int64_t most = -1, most_line = 0;            // the largest

 private:
  // A line of text, read: has it a row; or an index too large for the array.
  enum class Line { empty, row, refused, too_wide };

  static ROSENBLATT_INLINE bool is_blank(char c) { return c == ' ' || c == '\t'; }
  static ROSENBLATT_INLINE const char* skip_blanks(const char* at) {
    while (is_blank(*at)) ++at;
    return at;
  }
  static ROSENBLATT_INLINE bool ends(const char* at) {
    return *at == '\n' || *at == '#' || (*at == '\r' && at[1] == '\n');
  }
  // After a part of a line: its end, or blanks and what comes next.
  static ROSENBLATT_INLINE bool between(const char* at) { return is_blank(*at) || ends(at); }

  // The shortest entry is four bytes with its blank: room for all, and no need to ask in the loop.
  static int64_t most_entries(int64_t bytes) { return bytes / 4 + 1; }

  template <class Index>
  Reading read_lines(const char*& begin, const char* end, int64_t enough, Growing<Index>& column) {
    if (!column.reserve(most_entries(end - begin))) return Reading::no_memory;
    while (begin < end && label.size < enough) {
      if (!label.reserve(1) || !start.reserve(1)) return Reading::no_memory;
      const char* at = begin;
      const Line line = read_line(at, column);
      if (line == Line::refused) return Reading::refused;
      if (line == Line::too_wide) return widen() ? Reading::fine : Reading::no_memory;
      if (*at == '#') {
        ++comments;
        at = static_cast<const char*>(std::memchr(at, '\n', size_t(end - at)));
      }
      begin = at + (*at == '\r' ? 2 : 1);
      ++lines;
      if (line == Line::row) end_row(column);
    }
    return Reading::fine;
  }

  // Leaves `at` where the line ends. The arrays keep their sizes, so that a line can be read again.
  template <class Index>
  ROSENBLATT_INLINE Line read_line(const char*& at, Growing<Index>& column) {
    const char* p = skip_blanks(at);
    Line line = Line::empty;
    int64_t k = value.size;
    if (!ends(p)) {
      line = Line::row;
      if (!read_double(p, label.data[label.size]) || !between(p)) return Line::refused;
      p = skip_blanks(p);
      bool query = false;
      if (*p == 'q' && !(query = read_query(p))) return Line::refused;
      for (int64_t last = -1; !ends(p); ++k, p = skip_blanks(p)) {
        int64_t index;
        if (!read_index(p, index) || index <= last) return Line::refused;
        if (index > std::numeric_limits<Index>::max()) return Line::too_wide;
        column.data[k] = Index(index);
        last = index;
        if (!read_double(p, value.data[k]) || !between(p)) return Line::refused;
      }
      queries += query;
    }
    filled = k;
    at = p;
    return line;
  }

  // qid:number, which is looked at and left out.
  static bool read_query(const char*& at) {
    const char* p = at;
    for (const char* name = "qid:"; *name; ++name)
      if (*p++ != *name) return false;
    if (*p == '-' || *p == '+') ++p;
    const char* const begin = p;
    int64_t number;
    if (!read_whole(p, number) || p == begin || !between(p)) return false;
    at = skip_blanks(p);
    return true;
  }

  // index: with its colon.
  static ROSENBLATT_INLINE bool read_index(const char*& at, int64_t& index) {
    const char* p = at;
    if (!is_digit(*p) || !read_whole(p, index) || *p != ':' || index > most_index) return false;
    at = p + 1;
    return true;
  }

  // Digits as a whole number, as far as int64 reaches.
  static ROSENBLATT_INLINE bool read_whole(const char*& at, int64_t& number) {
    const char* begin = at;
    uint64_t digits = 0;
    at = read_digits(at, digits);
    if (at - begin > 18) {  // 19 digits do not wrap around
      if (at - begin > longest_number) return false;
      while (*begin == '0') ++begin;
      if (at - begin > 19 || digits > uint64_t(std::numeric_limits<int64_t>::max())) return false;
    }
    number = int64_t(digits);
    return true;
  }

  template <class Index>
  ROSENBLATT_INLINE void end_row(Growing<Index>& column) {
    const int64_t first = value.size;
    value.size = column.size = filled;
    ++label.size;
    ++rows;
    entries += filled - first;
    start.data[start.size++] = filled;
    if (filled == first) return;
    if (column.data[first] < least) least = column.data[first], least_line = lines;
    if (column.data[filled - 1] > most) most = column.data[filled - 1], most_line = lines;
  }

  // From here on indices take 64 bits.
  bool widen() {
    if (!wide.reserve(value.size)) return false;
    for (int64_t k = 0; k < value.size; ++k) wide.data[k] = narrow.data[k];
    wide.size = value.size;
    std::free(narrow.release());
    is_wide = true;
    return true;
  }

  int64_t filled = 0;  // how many entries there are with those of the line just read
};

}  // namespace rosenblatt
