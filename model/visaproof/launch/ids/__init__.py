"""Which work item a lane runs: local ids, groups, and global ids of launches that exist."""
