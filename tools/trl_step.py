"""One real training step of TRL on a task, with a model of some thousand weights that says what it is told to say.

TRL with what it needs takes gigabytes, so the suite does not have it. In an environment of its own:

    python -m venv /tmp/trl && /tmp/trl/bin/pip install -e '.[trl]'
    /tmp/trl/bin/python -m tools.trl_step

Of two rollouts one calls a tool that is worth a point, the other does nothing. It fails unless TRL saw both rewards,
ran the tool, and changed the model's weights.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TRL_EXPERIMENTAL_SILENCE="1")

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from dayjob.adapters.trl import environment_factory

ROOT = Path(__file__).parents[1]
POST = {"name": "chat_post", "arguments": {"room": "@tomas.okafor", "text": "It is in /Operations/over-budget.md"}}
WORTH = 0.125
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]


def tokenizer() -> PreTrainedTokenizerFast:
    """One that can write everything, with the template of a model that calls tools."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    made.train([str(one) for one in sorted((ROOT / "docs").glob("*.md"))], trainer)
    template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text("utf-8")
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=template
    )


class Told(Qwen3ForCausalLM):  # type: ignore[misc]  # transformers is not in our environment
    """Says what it is told to, in the order of the batch; its weights are trained like any other's."""

    sayings: list[list[str]]
    words: Any

    def generate(self, input_ids: torch.Tensor, **_: Any) -> torch.Tensor:
        said = self.sayings.pop(0)[: len(input_ids)]
        ends = [self.words.encode(one + "<|im_end|>", add_special_tokens=False) for one in said]
        width = max(map(len, ends))
        pad = self.words.pad_token_id
        return torch.cat([input_ids, torch.tensor([one + [pad] * (width - len(one)) for one in ends])], dim=1)


def main() -> None:
    words = tokenizer()
    model = Told(
        Qwen3Config(
            vocab_size=len(words), hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=1, head_dim=16, max_position_embeddings=32768,
        )
    )  # fmt: skip
    model.words = words
    model.sayings = [[f"<tool_call>\n{json.dumps(POST)}\n</tool_call>", "No."], ["Done."]]
    before = {name: one.detach().clone() for name, one in model.named_parameters()}
    cache = Path(os.environ.get("DAYJOB_CACHE", Path.home() / ".cache" / "dayjob"))
    with tempfile.TemporaryDirectory() as folder:
        settings = GRPOConfig(
            output_dir=folder, max_steps=1, per_device_train_batch_size=2, num_generations=2, learning_rate=1e-2,
            max_completion_length=2048, report_to=[], use_cpu=True, logging_steps=1, save_strategy="no",
        )  # fmt: skip
        row = {"prompt": [{"role": "user", "content": ""}], "seed": 7}
        trainer = GRPOTrainer(
            model, args=settings, train_dataset=Dataset.from_list([row] * 2), processing_class=words,
            environment_factory=environment_factory("example", cache=cache),
        )  # fmt: skip
        trainer.train()
        told = {key: value for one in trainer.state.log_history for key, value in one.items()}
        for environment in trainer._environment_pool[None]:
            environment._close()
    changed = sum(not torch.equal(before[name], one.detach()) for name, one in model.named_parameters())
    print(f"TRL {trl.__version__}: reward {told['reward']}, tool calls {told.get('tools/call_frequency')},")
    print(f"tool failures {told.get('tools/failure_frequency')}, {changed} of {len(before)} weights changed")
    if abs(told["reward"] - WORTH / 2) > 1e-6 or not changed:
        sys.exit("TRL did not see what was done, or learned nothing from it")


main()
