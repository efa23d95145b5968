base_rate = 0.9
