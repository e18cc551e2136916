"""What make_digits.py is made of: one subject a file."""
