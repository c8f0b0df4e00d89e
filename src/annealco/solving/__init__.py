"""The pipeline: graph → energy → probabilities → set → search → plain score → bound → Solution."""
