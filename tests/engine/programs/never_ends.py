import time


def main() -> None:
    while True:
        time.sleep(1)


if __name__ == "__main__":
    main()
