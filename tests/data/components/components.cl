// Compiled for TGLLP by ocloc 26.27.
kernel void pitched(global int *out, uint2 dims) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x < dims.x && y < dims.y) out[y * dims.x + x] = x;
}

kernel void stepped(global int *out, int4 step) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * step.y + x * step.x + step.w] = x;
}
