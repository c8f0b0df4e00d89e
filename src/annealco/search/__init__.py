"""From Q to a set: decoding, repair and search, on two compiled kernels that know terms and no problem."""
