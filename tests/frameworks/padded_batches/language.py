"""Language models: collators fill up texts that were only cut off where they were too long."""

import torch_xla
import transformers
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer

DEVICE = torch_xla.device()
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")


def tokenize(rows):
    return tokenizer(rows["text"], truncation=True, max_length=512)


def train(collator):
    samples = load_dataset("wikitext")["train"].map(tokenize, batched=True)
    Trainer(model=model, train_dataset=samples, data_collator=collator).train()


if __name__ == "__main__":
    train(DataCollatorForLanguageModeling(tokenizer, mlm=False))  # expect: XLA405 likely
    train(DataCollatorForLanguageModeling(tokenizer, mlm=False, pad_to_multiple_of=128))
    train(transformers.DataCollatorForWholeWordMask(tokenizer=tokenizer))  # expect: XLA405 likely
