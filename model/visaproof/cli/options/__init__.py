"""Options, files, errors and exit codes that several commands share."""
