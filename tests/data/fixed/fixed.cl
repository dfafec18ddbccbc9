kernel void sums(const global float *in, global float *out) {
  local float s[256], q[256];
  uint t = get_local_id(0);
  s[t] = in[get_global_id(0)];
  q[t] = 1.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    out[get_group_id(0)] = s[1] + q[2];
}

kernel void tile(const global int *in, global int *out) {
  local int s[256];
  s[16 * get_local_id(1) + get_local_id(0)] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[get_local_id(0) & 7];
}

kernel void copied(const global int *in, global int *out, uint n) {
  out[get_global_id(0)] = in[get_global_id(0)] + (int)n;
}

kernel void next(const global int *in, global int *out, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    out[i] = in[i + 1];
}

kernel void row_sums(const global int *in, global int *out, int k, int n) {
  int x = get_global_id(0), y = get_global_id(1), sum = 0;
  for (int i = 0; i < k; i++)
    sum += in[y * k + i];
  out[y * n + x] = sum;
}
