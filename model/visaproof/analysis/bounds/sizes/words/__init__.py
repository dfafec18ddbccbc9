"""What words of an address are at most that are no sums of ids, arguments and sizes."""
