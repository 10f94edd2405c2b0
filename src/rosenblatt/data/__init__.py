"""Tables and text files become rows and labels."""
