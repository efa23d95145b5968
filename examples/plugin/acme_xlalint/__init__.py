"""What acme's training code must keep to on XLA devices: rules and frameworks for xlalint."""
