"""The fewest errors of any linear rule, from both sides; also where it must be right about a row.

Rows that no rule has all on the right side are a conflict: a rule misclassifies at least one row of
each. So the fewest errors are the cheapest set of rows that meets every conflict, and what remains
without that set has a separator.

problem ──conflicts──► rows in conflict, or a separator of them
   │          │
 rules     packing: conflicts that share no row; cover: the cheapest set that meets all known ones
   │          │
 upper     lower ──proof──► the same in fractions, by cases
   │
 cones ──directions──► lower, where columns are few; one_more_row: for second opinions
"""
