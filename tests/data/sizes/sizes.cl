// Kernels whose buffers have to be as large as their arguments and their launch say.
kernel void guarded(global int *out, const global int *in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    out[y * w + x] = in[y * w + x] + 1;
}

kernel void guarded_by_one_more(global int *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x <= w && y < h)
    out[y * w + x] = 1;
}

kernel void of_all_items(global int *out, const global int *in) {
  int x = get_global_id(0), y = get_global_id(1);
  int w = get_global_size(0);
  out[y * w + x] = in[y * w + x] + 1;
}

kernel void neighbours(global float4 *out, const global float *in, uint n) {
  uint x = get_global_id(0);
  if (x < n)
    out[x] = (float4)(in[x], in[x + 1], 0, 1);
}

kernel void of_groups(global float *out, const global float *in) {
  if (get_local_id(0) == 0)
    out[get_group_id(0)] = in[get_global_id(0)];
}

kernel void one_before(global int *out, const global int *in, uint n) {
  uint x = get_global_id(0);
  if (x < n)
    out[x] = in[x - 1];
}

kernel void two_halves(global int *out, local int *t) {
  int l = get_local_id(0);
  t[l] = 0;
  t[l + get_local_size(0)] = out[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = t[l + get_local_size(0) - 1];
}
