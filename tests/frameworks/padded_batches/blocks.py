"""Language models: what is put together to blocks of one length needs no filling up."""

import torch_xla
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer

DEVICE = torch_xla.device()
SIZE = 512
tokenizer = AutoTokenizer.from_pretrained("gpt2")


def tokenize(rows):
    return tokenizer(rows["text"], truncation=True)


def put_together(rows):
    text = sum(rows["input_ids"], [])
    whole = len(text) // SIZE * SIZE
    return {"input_ids": [text[start : start + SIZE] for start in range(0, whole, SIZE)]}


if __name__ == "__main__":
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    texts = load_dataset("wikitext")["train"].map(tokenize, batched=True)
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    Trainer(model=model, train_dataset=texts.map(put_together, batched=True), data_collator=collator).train()
