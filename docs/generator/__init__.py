"""Makes what stands in docs/ and follows from the code: transcripts and reference pages.  `make pages` runs it."""
