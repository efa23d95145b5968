"""What frameworks of acme's do on an XLA device. These programs are read and never imported."""
