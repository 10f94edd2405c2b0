"""The one loop, the orders, what is kept, and the learners that step."""
