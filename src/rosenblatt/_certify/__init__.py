"""How a certificate is found: floats guess, whole numbers prove.

rows ──nearest_point──► a separator or a conflict, in floating point
  │                              │
  └──signs, kernel (exact) ◄─────┘   proved, or handed to `simplex`, which always decides
             │
    faces: which rows no hyperplane can have strictly on the right side
    margins: how wide, from below and from above
"""
