"""The pipeline: graph → energy → probabilities → set → search → bound → plain score → Solution.

`solver` has the settings, `initial_sets` what searches begin with, `pipeline` one graph from its energy to its
`solution`, `solve` one or many graphs, `many` a stream of them, here or on a cluster, `result_files` what is written of
them, and `contract` what searches and bounds must keep.
"""
