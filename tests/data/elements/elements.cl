kernel void products(global const int *row, global const int *col, global const float *val, global const float *x, global float *y, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float s = 0;
    for (int e = row[i]; e < row[i + 1]; e++)
      s += val[e] * x[col[e]];
    y[i] = s;
  }
}

kernel void shifted(global const uint *idx, global const int *in, global int *out, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    out[i] = in[idx[i] + 2];
}

kernel void counted(global const uchar *in, global int *bins) {
  atomic_inc(bins + in[get_global_id(0)]);
}

kernel void ends(global const int *first, global const int *list, global int *out, int n, int total) {
  int i = get_global_id(0), s = 0;
  if (i < n) {
    int end = i + 1 < n ? first[i + 1] : total;
    for (int e = first[i]; e < end; e++)
      s += list[e];
    out[i] = s;
  }
}

kernel void followed(global int *list, global int *out) {
  int i = get_global_id(0);
  list[i] = 3 * i;
  out[i] = list[list[i + 1]];
}
