"""What commands found out, in one shape: findings, and the formats in which other tools read them."""
