"""What programs read of every command: records, of which the JSON schema is made."""
