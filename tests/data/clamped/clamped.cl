/* A pixel of a volume that may be smaller than what is computed, as filters of images read it. */
kernel void scaled(global const float *in, int iw, int ih, int id, global float *out, int w, int h, int d, float by) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int cx = min(max(x, 0), iw - 1), cy = min(max(y, 0), ih - 1), cz = min(max(z, 0), id - 1);
  float value = 0;
  if (cx >= 0 && cx < iw && cy >= 0 && cy < ih && cz >= 0 && cz < id)
    value = in[cx + cy * iw + cz * iw * ih];
  if (x >= 0 && x < w && y >= 0 && y < h && z >= 0 && z < d)
    out[x + y * w + z * w * h] = value * by;
}
