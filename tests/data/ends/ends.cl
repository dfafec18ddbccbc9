// Kernels whose addresses are sums of products: nothing bounds them but the arguments and the launch.
kernel void strided(global int *out, int inc, int offset) {
  out[offset + inc * (int)get_global_id(0)] = 1;
}

kernel void volume(global int *out, uint w, uint h) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * h + y) * w + x] = 1;
}

kernel void blocks(global int *out) {
  out[8 * (get_group_id(0) * get_local_size(0)) + 3 * get_local_id(0)] = 1;
}

kernel void of_64_bits(global int *out, ulong w) {
  ulong x = get_global_id(0), y = get_global_id(1);
  if (x < w)
    out[y * w + x] = 1;
}

kernel void row_above(global int *out, const global int *in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h && y > 0)
    out[y * w + x] = in[(y - 1) * w + x];
}

kernel void row_above_all(global int *out, const global int *in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    out[y * w + x] = in[(y - 1) * w + x];
}

kernel void enqueued(global int *out) {
  out[8 * (get_group_id(0) * get_enqueued_local_size(0)) + 3 * get_local_id(0)] = 1;
}

kernel void rare(global int *out, int n) {
  if (n % 64 == 37)
    out[get_global_id(0)] = 1;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void rows(global const float *a, global float *o, uint n, uint pitch) {
  uint lane = get_sub_group_local_id(), row = get_group_id(0);
  float sum = 0;
  for (uint i = lane; i < n; i += 16)
    sum += a[row * pitch + i];
  if (lane < n)
    o[row * 16 + lane] = sum;
}
