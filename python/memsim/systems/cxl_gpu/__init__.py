"""CXL-GPU: a GPU whose memory grows through CXL root ports. `media` builds what is behind an endpoint."""
