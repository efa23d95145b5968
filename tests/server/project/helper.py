def log(value):
    print(value.item())
