"""What makes accelerators for the scripts beside it, which import neither accelerate nor torch_xla."""
