def main() -> None:
    raise LookupError("nothing here")


if __name__ == "__main__":
    main()
