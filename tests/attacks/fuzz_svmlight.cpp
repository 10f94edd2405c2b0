// The svmlight reader and the decimal parser on bytes that libFuzzer chooses by what they reach, under
// the address and undefined-behaviour sanitizers. Used by scripts/fuzz.sh.
//
// What is read must be what a second, slow reading of the grammar takes: the C library's numbers, one
// part of a line after the other; and the same however the text is cut.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "svmlight.hpp"

namespace {

using rosenblatt::Reading;
using rosenblatt::SvmlightReader;

struct Row {
  double label;
  std::vector<std::pair<uint64_t, double>> entries;
};

[[noreturn]] void differ(const char* what) {
  std::fprintf(stderr, "The two readings differ: %s\n", what);
  std::abort();
}

void same(bool equal, const char* what) {
  if (!equal) differ(what);
}

bool same_bits(double one, double two) { return std::memcmp(&one, &two, sizeof one) == 0; }

size_t digits(const std::string& text, size_t at) {
  const size_t end = text.find_first_not_of("0123456789", at);
  return (end == std::string::npos ? text.size() : end) - at;
}

// [+-] digits [. digits] [e [+-] digits], all of the text, finite and not too long.
bool number(const std::string& text, double& value) {
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-');
  size_t count = digits(text, at);
  at += count;
  if (at < text.size() && text[at] == '.') {
    const size_t behind = digits(text, at + 1);
    count += behind;
    at += 1 + behind;
  }
  if (count == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t power = digits(text, at);
    if (power == 0) return false;
    at += power;
  }
  if (at != text.size() || text.size() > size_t(rosenblatt::longest_number)) return false;
  value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value);
}

bool whole(const std::string& text, uint64_t most, uint64_t& value) {
  if (text.empty() || digits(text, 0) != text.size()) return false;
  if (text.size() > size_t(rosenblatt::longest_number)) return false;
  value = 0;
  for (const char c : text) {
    const uint64_t digit = uint64_t(c - '0');
    if (value > (most - digit) / 10) return false;
    value = 10 * value + digit;
  }
  return true;
}

std::vector<std::string> parts_of(const std::string& line) {
  std::vector<std::string> parts;
  for (size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string::npos;) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    parts.push_back(line.substr(at, end - at));
    at = end;
  }
  return parts;
}

// A line without its end. False: it is refused.
bool read_slowly(const std::string& line, std::vector<Row>& rows) {
  const auto parts = parts_of(line.substr(0, line.find('#')));
  if (parts.empty()) return true;
  Row row;
  if (!number(parts[0], row.label)) return false;
  uint64_t index;
  for (size_t k = 1; k < parts.size(); ++k) {
    const std::string& part = parts[k];
    if (k == 1 && part[0] == 'q') {
      if (part.compare(0, 4, "qid:") != 0) return false;
      const bool sign = part.size() > 4 && (part[4] == '+' || part[4] == '-');
      if (!whole(part.substr(4 + sign), INT64_MAX, index)) return false;
      continue;
    }
    const size_t colon = part.find(':');
    double value;
    if (colon == std::string::npos) return false;
    if (!whole(part.substr(0, colon), uint64_t(SvmlightReader::most_index), index)) return false;
    if (!row.entries.empty() && index <= row.entries.back().first) return false;
    if (!number(part.substr(colon + 1), value)) return false;
    row.entries.emplace_back(index, value);
  }
  rows.push_back(row);
  return true;
}

// The rows before the first line that is refused, and whether there is one.
bool read_slowly_all(const std::string& text, std::vector<Row>& rows) {
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    // A carriage return is part of the end of a line, in a comment or not.
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!read_slowly(line, rows)) return false;
  }
  return true;
}

// As Python reads: so many rows at a time, from a block with `slack` bytes behind it and not one more.
Reading read_core(SvmlightReader& reader, const std::string& text, int64_t more, size_t cut) {
  size_t begin = 0;
  for (size_t end = std::min(cut, text.size());; end = std::min(end + cut, text.size())) {
    const size_t size = end - begin;
    char* block = static_cast<char*>(std::malloc(size + size_t(rosenblatt::slack)));
    std::memcpy(block, text.data() + begin, size);
    std::memset(block + size, '7', size_t(rosenblatt::slack));  // digits: nothing may use them
    const char* at = block;
    const char* before;
    Reading reading;
    do {
      before = at;
      reading = reader.read(at, block + size, more);
    } while (reading == Reading::fine && at != before);
    begin += size_t(at - block);
    std::free(block);
    if (reading != Reading::fine || end == text.size()) return reading;
  }
}

void compare(const SvmlightReader& reader, const std::vector<Row>& rows) {
  same(reader.label.size == int64_t(rows.size()) && reader.rows == reader.label.size, "rows");
  int64_t k = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    same(same_bits(reader.label.data[i], rows[i].label), "label");
    same(reader.start.data[i] == k, "start");
    for (const auto& [index, value] : rows[i].entries) {
      const int64_t got = reader.is_wide ? reader.wide.data[k] : int64_t(reader.narrow.data[k]);
      same(uint64_t(got) == index, "index");
      same(same_bits(reader.value.data[k], value), "value");
      ++k;
    }
  }
  same(reader.entries == k && reader.value.size == k, "entries");
}

void check_text(const std::string& text, int64_t more, size_t cut) {
  std::vector<Row> rows;
  const bool taken = read_slowly_all(text, rows);
  SvmlightReader reader;
  const Reading reading = read_core(reader, text, more, cut);
  same((reading == Reading::fine) == taken, taken ? "refused" : "taken");
  compare(reader, rows);
}

// One number by itself: how far it is read, and to which bits.
void check_number(const std::string& text) {
  const std::string padded = text + "\n" + std::string(size_t(rosenblatt::slack), '7');
  const std::string heap(padded.begin(), padded.end());
  const char* at = heap.data();
  double value, expected;
  const bool read = rosenblatt::read_double(at, value);
  const bool all = read && at == heap.data() + text.size();
  const std::string part = read ? text.substr(0, size_t(at - heap.data())) : text;
  const bool allowed = number(part, expected);
  if (read) {
    same(allowed && same_bits(value, expected), "a number");
  } else {
    same(!allowed, "a number that is refused");
  }
  same(all == number(text, expected), "how far a number goes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // The first two bytes say how the text is cut and how many rows are asked for.
  const size_t cuts[] = {1, 2, 7, 64, size_t(1) << 20};
  const int64_t asked[] = {1, 2, INT64_MAX};
  std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  check_number(text.substr(0, text.find('\n')));
  if (text.empty() || text.back() != '\n') text += '\n';
  check_text(text, asked[data[1] % 3], cuts[data[0] % 5]);
  return 0;
}
