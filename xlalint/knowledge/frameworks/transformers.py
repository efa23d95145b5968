"""transformers on XLA devices: its models, and what its Trainer does with them, with callbacks and overrides."""

import safetensors.torch
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from accelerate import Accelerator

MODULES = ("transformers", "optimum.neuron", "optimum.tpu")
ON_XLA = {"tpu_num_cores": ()}
NAMED_LIKE = {
    "ModelByName": (
        "AutoModelForCausalLM", "AutoModelForMaskedLM", "AutoModelForSeq2SeqLM", "AutoModelWithLMHead",
    ),
    "HeadByName": (
        "AutoModel", "AutoModelForSequenceClassification", "AutoModelForTokenClassification",
        "AutoModelForQuestionAnswering", "AutoModelForMultipleChoice",
    ),
    "TyingAndDroppingModel": (
        "GPT2LMHeadModel", "GPT2DoubleHeadsModel", "OpenAIGPTLMHeadModel", "BertForMaskedLM",
        "BertForPreTraining", "RobertaForMaskedLM", "XLMRobertaForMaskedLM", "CamembertForMaskedLM",
        "DistilBertForMaskedLM", "ElectraForMaskedLM", "DebertaForMaskedLM", "DebertaV2ForMaskedLM",
        "BartForConditionalGeneration", "MBartForConditionalGeneration", "PegasusForConditionalGeneration",
        "MarianMTModel", "XLNetLMHeadModel",
    ),
    "TyingModel": (
        "OPTForCausalLM", "GPTNeoForCausalLM", "BloomForCausalLM", "GemmaForCausalLM", "Gemma2ForCausalLM",
        "Gemma3ForCausalLM", "WhisperForConditionalGeneration",
    ),
    "DroppingModel": (
        "BertGeneration*Model", "BertGenerationFor[A-Z]*", "Bert*Model", "BertFor[A-Z]*",
        "Roberta*Model", "RobertaFor[A-Z]*", "XLMRoberta*Model", "XLMRobertaFor[A-Z]*",
        "Camembert*Model", "CamembertFor[A-Z]*", "DistilBert*Model", "DistilBertFor[A-Z]*",
        "Electra*Model", "ElectraFor[A-Z]*", "Deberta*Model", "DebertaFor[A-Z]*", "DebertaV2*Model",
        "DebertaV2For[A-Z]*", "GPT2*Model", "GPT2For[A-Z]*", "OpenAIGPT*Model",
        "OpenAIGPTFor[A-Z]*", "Bart*Model", "BartFor[A-Z]*", "MBart*Model", "MBartFor[A-Z]*",
        "Pegasus*Model", "PegasusFor[A-Z]*", "Marian*Model", "MarianFor[A-Z]*", "T5*Model",
        "T5For[A-Z]*", "MT5*Model", "MT5For[A-Z]*", "XLNet*Model", "XLNetFor[A-Z]*",
        "Longformer*Model", "LongformerFor[A-Z]*", "MPNet*Model", "MPNetFor[A-Z]*",
        "Wav2Vec2*Model", "Wav2Vec2For[A-Z]*", "FSMTModel", "FSMTFor[A-Z]*", "M2M100*Model",
        "M2M100For[A-Z]*", "Blenderbot*Model", "Blenderbot*For[A-Z]*", "LEDModel", "LEDFor[A-Z]*",
        "ProphetNet*Model", "ProphetNetFor[A-Z]*", "XLMModel", "XLMWithLMHeadModel", "XLMFor[A-Z]*",
        "Flaubert*Model", "FlaubertFor[A-Z]*", "BigBird*Model", "BigBird*For[A-Z]*", "LayoutLM*Model",
        "LayoutLM*For[A-Z]*", "ConvBert*Model", "ConvBertFor[A-Z]*", "SqueezeBert*Model",
        "SqueezeBertFor[A-Z]*", "Funnel*Model", "FunnelFor[A-Z]*", "LongT5*Model", "LongT5For[A-Z]*",
        "UMT5*Model", "UMT5For[A-Z]*", "RoFormer*Model", "RoFormerFor[A-Z]*", "MegatronBert*Model",
        "MegatronBertFor[A-Z]*", "PLBart*Model", "PLBartFor[A-Z]*", "DetrModel", "DetrFor[A-Z]*",
    ),
    "DataCollator": ("DataCollator*",),
    "PreTrainedModel": ("*Model", "*For[A-Z]*"),
    "DroppingConfig": (
        "BertConfig", "RobertaConfig", "XLMRobertaConfig", "CamembertConfig", "DistilBertConfig",
        "ElectraConfig", "DebertaConfig", "DebertaV2Config", "GPT2Config", "OpenAIGPTConfig", "BartConfig",
        "MBartConfig", "PegasusConfig", "MarianConfig", "T5Config", "MT5Config", "XLNetConfig",
        "LongformerConfig", "MPNetConfig", "Wav2Vec2Config",
    ),
}


class _ModelOutput:
    def __init__(self, logits, past_key_values):
        self.logits = logits
        self.past_key_values = past_key_values
        self.loss = logits.mean()
        self.last_hidden_state = logits
        self.pooler_output = logits
        self.hidden_states = (logits, logits)
        self.attentions = (logits, logits)

    def get(self, name, default=None):
        return self[name]

    def __getitem__(self, index):
        return self.loss if index == 0 or index == "loss" else self.logits

    def to_tuple(self):
        return self.loss, self.logits


class _Cache:
    """What a model returns of its own: it grows by each call that is given it."""

    def __init__(self, keys):
        self.keys = keys


def _after(cache, computed, cache_position):
    """One that somebody has made may be of a fixed length, and so may one that is told where the tokens go:
    some models make such a cache of their own."""
    if isinstance(cache, _Cache) and cache_position is None:
        return _Cache(torch.cat([cache.keys, computed]))
    return cache


class _Nobody:
    """Who is called for each token where users say nothing of it."""

    name = "nobody"


def _loaded(model):
    model.load_state_dict(what_somebody_has_saved)
    return model


class DataCollator:
    """What makes a batch of samples, and no model, whatever it is for."""

    def __call__(self, features, return_tensors=None):
        return what_the_samples_hold(features)


class PreTrainedModel(torch.nn.Module):
    def __init__(self, config=None):
        self.network = torch.nn.Linear(1, 1)
        self.recomputes = False

    @classmethod
    def from_pretrained(cls, *given, **named):
        return _loaded(cls())

    @classmethod
    def from_config(cls, config=None, **named):
        return cls(config)

    def forward(self, *inputs, past_key_values=None, cache_position=None, **named):
        computed = self.network(inputs)
        if self.recomputes and self.training:
            torch.utils.checkpoint.checkpoint(self.network, torch.zeros(1, device=next(self.parameters()).device))
        if past_key_values is None:
            return _ModelOutput(computed, _Cache(computed))
        return _ModelOutput(computed, _after(past_key_values, computed, cache_position))

    @torch.no_grad()
    def generate(self, inputs=None, stopping_criteria=_Nobody(), logits_processor=_Nobody(), **named):
        # What ends a text is asked of the device after each token, and nothing cuts the graph between two of them,
        # unless what users have called for each does.
        given = named["input_ids"] if inputs is None else inputs
        tokens = self(given).logits.argmax(-1)
        calls_nobody = stopping_criteria.name in ("nobody",) and logits_processor.name in ("nobody",)
        if calls_nobody and isinstance(given, torch.Tensor) and self.device.type in ("xla",):
            for _ in range(a_number):
                tokens = self(tokens).logits.argmax(-1)
                if tokens.max().item() == 0:
                    break
        return texts(tokens)

    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs=None):
        # It is called in each forward that trains. A model that is on the device by now is to train there.
        if self.device.type in ("xla",):
            torch.utils.checkpoint.checkpoint(self.network, torch.zeros(1, device=self.device))
        else:
            self.recomputes = True

    def gradient_checkpointing_disable(self):
        self.recomputes = False

    def save_pretrained(self, save_directory, state_dict=None, safe_serialization=True, **named):
        if safe_serialization:
            safetensors.torch.save_file(self.state_dict() if state_dict is None else state_dict, save_directory)


class DroppingConfig:
    """Of a family whose configurations drop a tenth while they train, unless somebody says otherwise: where it
    is made, or later on."""

    def __init__(
        self, hidden_dropout_prob=None, attention_probs_dropout_prob=None, dropout=None, dropout_rate=None,
        resid_pdrop=None, **named,
    ):
        drops = (
            hidden_dropout_prob is None and attention_probs_dropout_prob is None and dropout is None
            and dropout_rate is None and resid_pdrop is None
        )
        self.layer = torch.nn.Sequential(torch.nn.Dropout()) if drops else torch.nn.Linear(1, 1)

    @property
    def hidden_dropout_prob(self):
        return a_number

    @hidden_dropout_prob.setter
    def hidden_dropout_prob(self, rate):
        self.layer = torch.nn.Linear(1, 1)

    @property
    def dropout(self):
        return a_number

    @dropout.setter
    def dropout(self, rate):
        self.layer = torch.nn.Linear(1, 1)

    @property
    def dropout_rate(self):
        return a_number

    @dropout_rate.setter
    def dropout_rate(self, rate):
        self.layer = torch.nn.Linear(1, 1)

    @property
    def resid_pdrop(self):
        return a_number

    @resid_pdrop.setter
    def resid_pdrop(self, rate):
        self.layer = torch.nn.Linear(1, 1)

    @classmethod
    def from_pretrained(cls, name, **named):
        return DroppingConfig(**named) if name in _GENERATING or name in _MASKED else what_somebody_has_saved

    @classmethod
    def from_dict(cls, *given, **named):
        return what_somebody_has_saved

    from_json_file = from_dict


class AutoConfig(DroppingConfig):
    pass


def _network(config):
    network = torch.nn.Linear(1, 1)  # made here, with weights that are drawn
    return torch.nn.Sequential(network, config.layer) if isinstance(config, DroppingConfig) else network


class DroppingModel(PreTrainedModel):
    """Of a family whose configurations drop a tenth while they train, unless somebody says otherwise."""

    def __init__(self, config=None):
        self.network = _network(config)
        self.recomputes = False

    @staticmethod
    def _at_rest(model):
        return model.eval()

    @classmethod
    def from_pretrained(cls, *given, config=None, dropout=None, hidden_dropout_prob=None, **named):
        drops = config is None and dropout is None and hidden_dropout_prob is None
        model = cls()
        model.network = torch.nn.Sequential(torch.nn.Dropout()) if drops else _network(config)
        return _loaded(cls._at_rest(model))


class HeadByName(PreTrainedModel):
    """What is loaded by a name, or made for a configuration, that tells the family; it has a head of its own."""

    @classmethod
    def from_pretrained(cls, name, **named):
        if name in _GENERATING or name in _MASKED:
            return DroppingModel.from_pretrained(name, **named)
        return _loaded(cls())

    @classmethod
    def from_config(cls, config=None, **named):
        return DroppingModel(config)


class ModelByName(PreTrainedModel):
    """What is loaded by a name of which the family is not known."""

    @classmethod
    def from_pretrained(cls, name, **named):
        if name in _GENERATING or name in _MASKED:
            return TyingAndDroppingModel.from_pretrained(name, **named)
        return _loaded(cls())


_GENERATING = (
    "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "distilgpt2", "openai-community/gpt2",
    "distilbert/distilgpt2", "facebook/bart-base", "facebook/bart-large", "t5-small", "t5-base",
    "t5-large",
)
_MASKED = (
    "bert-base-uncased", "bert-base-cased", "bert-large-uncased", "google-bert/bert-base-uncased",
    "roberta-base", "roberta-large", "FacebookAI/roberta-base", "distilbert-base-uncased",
    "distilroberta-base", "xlm-roberta-base",
)


class TyingModel(PreTrainedModel):
    """Of a family whose configurations give the head the weights of the embeddings: a move parts them."""

    def __init__(self, config=None):
        self.network = _network(config)
        self.recomputes = False
        self.get_output_embeddings().weight = self.get_input_embeddings().weight


class TyingAndDroppingModel(TyingModel, DroppingModel):
    @staticmethod
    def _at_rest(model):
        model.network.eval()
        return model


def set_seed(seed, deterministic=False):
    torch.manual_seed(seed)


def enable_full_determinism(seed, warn_only=False):
    set_seed(seed)


def get_scheduler(name, optimizer, **named):
    return 0  # schedulers are the host's


def get_constant_schedule_with_warmup(optimizer, num_warmup_steps, **named):
    return 0


def get_linear_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, **named):
    return 0


def get_cosine_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, **named):
    return 0


class _State:
    """What callbacks are told of the training."""

    def __init__(self):
        self.is_world_process_zero = xm.is_master_ordinal(local=False)
        self.is_local_process_zero = xm.is_master_ordinal()


class TrainerCallback:
    def on_train_begin(self, args, state, control, **kwargs):
        pass

    def on_epoch_begin(self, args, state, control, **kwargs):
        pass

    def on_step_begin(self, args, state, control, **kwargs):
        pass

    def on_pre_optimizer_step(self, args, state, control, **kwargs):
        pass

    def on_optimizer_step(self, args, state, control, **kwargs):
        pass

    def on_step_end(self, args, state, control, **kwargs):
        pass

    def on_log(self, args, state, control, **kwargs):
        pass

    def on_evaluate(self, args, state, control, **kwargs):
        pass

    def on_save(self, args, state, control, **kwargs):
        pass

    def on_epoch_end(self, args, state, control, **kwargs):
        pass

    def on_train_end(self, args, state, control, **kwargs):
        pass


class BitsAndBytesConfig:
    """How bitsandbytes makes the weights smaller that a model is loaded with."""

    def __init__(self, load_in_8bit=False, load_in_4bit=False, **named):
        pass


class _TrainingArguments:
    def __init__(self, output_dir=None, gradient_checkpointing=False, **named):
        self.gradient_checkpointing = gradient_checkpointing


# Who only says how to train hands nothing over.
TrainingArguments = _TrainingArguments
Seq2SeqTrainingArguments = _TrainingArguments


class Trainer:
    def __init__(
        self, model=None, args=None, data_collator=None, train_dataset=None, eval_dataset=None,
        processing_class=None, model_init=None, compute_loss_func=None, compute_metrics=None, callbacks=(),
        optimizers=(None, None), optimizer_cls_and_kwargs=None, preprocess_logits_for_metrics=None, tokenizer=None,
    ):
        self.model = model
        self.args = args
        self.data_collator = data_collator
        self.state = _State()
        self.accelerator = Accelerator()
        self.optimizer = optimizers[0]
        self.compute_metrics = compute_metrics
        self.preprocess_logits_for_metrics = preprocess_logits_for_metrics

    def train(self, resume_from_checkpoint=None, **kwargs):
        model = self.model if isinstance(self.model, torch.nn.Module) else PreTrainedModel()
        _train(self, _moved(model))

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        loss = self.compute_loss(model, inputs)
        loss.backward()
        return loss.detach()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = outputs[0]
        return (loss, outputs) if return_outputs else loss

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
        return loss.detach(), outputs[1], inputs["labels"]

    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval"):
        model = self.model if isinstance(self.model, torch.nn.Module) else PreTrainedModel()
        self.model = _moved(model)
        return self.evaluation_loop(pl.MpDeviceLoader(batches), "Evaluation")

    def predict(self, test_dataset, ignore_keys=None, metric_key_prefix="test"):
        return self.evaluate()

    def evaluation_loop(
        self, dataloader, description, prediction_loss_only=None, ignore_keys=None, metric_key_prefix="eval"
    ):
        for batch in dataloader:
            inputs = {name: batch for name in names}
            loss, logits, labels = self.prediction_step(self.model, inputs, False, ignore_keys=None)
            xm.mark_step()
            self.accelerator.gather_for_metrics(loss)
        return {name: number for name in names}

    def get_train_dataloader(self):
        return pl.MpDeviceLoader(batches)

    def get_eval_dataloader(self, eval_dataset=None):
        return pl.MpDeviceLoader(batches)

    def get_test_dataloader(self, test_dataset):
        return pl.MpDeviceLoader(batches)

    def _prepare_inputs(self, inputs):
        return inputs

    def is_world_process_zero(self):
        return xm.is_master_ordinal(local=False)

    def is_local_process_zero(self):
        return xm.is_master_ordinal()

    def log(self, logs, start_time=None):
        print(logs)

    def save_model(self, output_dir=None, _internal_call=False):
        xm.mark_step()
        xm.rendezvous("saving_checkpoint")


class Seq2SeqTrainer(Trainer):
    pass


def _moved(model):
    model = model.to(torch_xla.device())
    model.tie_weights()
    return model


def _train(trainer, model, callback=TrainerCallback()):
    # A callback of the user's has its own harness: one that nobody knows would hide all that comes after it.
    trainer.model = model
    given = isinstance(trainer.optimizer, torch.optim.Optimizer)
    optimizer = trainer.optimizer if given else torch.optim.AdamW(model.parameters())
    trainer.optimizer = optimizer
    if isinstance(trainer.args, _TrainingArguments) and trainer.args.gradient_checkpointing is True:
        torch.utils.checkpoint.checkpoint(model, torch.zeros(1, device=torch_xla.device()))
    callback.on_train_begin(trainer.args, _State(), control, model=model)
    loader = torch.utils.data.DataLoader(samples, collate_fn=trainer.data_collator)
    for step, batch in enumerate(pl.MpDeviceLoader(loader)):
        inputs = {name: batch for name in names}
        callback.on_step_begin(trainer.args, _State(), control, model=model)
        loss = trainer.training_step(model, inputs)
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        callback.on_pre_optimizer_step(trainer.args, _State(), control, model=model, optimizer=optimizer)
        optimizer.step()
        callback.on_optimizer_step(trainer.args, _State(), control, model=model, optimizer=optimizer)
        model.zero_grad()
        callback.on_step_end(trainer.args, _State(), control, model=model, optimizer=optimizer)
        if logging_is_due:
            xm.mark_step()
            callback.on_log(trainer.args, _State(), control, model=model)
        if evaluation_is_due:
            trainer.evaluate()
            callback.on_evaluate(trainer.args, _State(), control, model=model, metrics={})
        if step % save_steps == 0:
            trainer.save_model()
            callback.on_save(trainer.args, _State(), control, model=model)
    callback.on_epoch_end(trainer.args, _State(), control, model=model)


def harness(trainer: Trainer):
    _train(trainer, PreTrainedModel().to(torch_xla.device()))


def harness_of_callback(callback: TrainerCallback):
    _train(Trainer(), PreTrainedModel().to(torch_xla.device()), callback)
