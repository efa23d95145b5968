"""Methods, and which of their statements are run for what `self` holds under `kept` after them."""

import torch_xla.runtime as xr


class Holder:
    def plain(self, size):
        print(size)
        width = 2 * size  # run
        self.other = size
        unused = width + 1
        self.kept = width  # run
        return unused

    def in_a_branch(self, batches, device):
        total = 0
        for batch in batches:  # run
            total += 1
            if batch is None:  # run
                self.other = total
                self.kept = device  # run
        return total

    def by_way_of_another(self, device):
        self.other = device  # run
        self.unrelated = 3
        self.kept = self.other  # run

    def changed_in_place(self, model, device):
        model.eval()  # run
        model.to(device)  # run
        print(model)
        self.kept = model  # run

    def changed_where_it_is_held(self, device):
        self.kept.append(device)  # run
        self.kept["name"] = device  # run
        self.other.append(device)

    def by_any_name(self, options):
        for name, value in options.items():  # run
            setattr(self, name, value)  # run
            print(name)

    def left_between(self, ready):
        if not ready:
            return None
        self.kept = 1  # run
        if ready > 1:  # run
            return ready  # run
        self.kept = 2  # run
        if ready > 2:
            return self
        return None

    def left_from_a_loop_without_end(self, batches):
        while True:  # run
            batch = next(batches)  # run
            if batch is None:  # run
                self.kept = batches  # run
                break  # run
            print(batch)

    def set_up(self, model):
        xr.use_spmd()  # run
        print(model)
        self.kept = model  # run

    def does_not_set_it(self, model):
        xr.use_spmd()
        self.other = model
        return self.kept

    def taken_apart(self, pair):
        (first, second), *rest = pair  # run
        third = rest
        self.kept, self.other = first, second  # run
        return third

    def under_a_name_of_a_pattern(self, given):
        match given:  # run
            case {"kept": held}:
                print(held)
                self.kept = held  # run
            case _:
                print(given)
