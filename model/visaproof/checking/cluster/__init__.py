"""Many tasks on a Dask cluster, and one of them on a worker."""
