"""What is found in the lines of a file before its statements are read."""
