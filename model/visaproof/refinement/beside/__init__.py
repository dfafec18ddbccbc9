"""What two programs have besides their texts: samplers, shared memory, tables, buffers."""
