"""Rules of acme's own. Every module here is looked through."""
