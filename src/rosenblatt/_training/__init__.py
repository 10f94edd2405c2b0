"""The one loop, the orders, what is kept, and the machines that step."""
