"""Trains a policy with TRL on the train tasks of a config, for submit/bench peers.

bench-peers.py SETTINGS COMMAND...
bench-peers.py SETTINGS --merge

SETTINGS is a JSON file that Peers writes. COMMAND starts EpisodeServer, which plays episodes. Every so many updates the
policy, or its adapter, is saved, and a line of curve.jsonl says how many rollouts and seconds it took to there. The
seconds of saving are not counted. Afterwards --merge makes whole policies in Hugging Face's layout of the adapters, in a
process of its own, so that its memory is not counted either.
"""
import json
import math
import shutil
import subprocess
import sys
import time
from pathlib import Path

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback

SETTINGS = json.loads(Path(sys.argv[1]).read_text())
OUT = Path(SETTINGS["out"])
torch.set_num_threads(SETTINGS["threads"])


def merge():
    from peft import PeftModel

    for folder in OUT.glob("step-*"):
        if (folder / "adapter_config.json").exists():
            below = AutoModelForCausalLM.from_pretrained(SETTINGS["policy"], dtype=torch.float32)
            PeftModel.from_pretrained(below, folder).merge_and_unload().save_pretrained(folder)
            (folder / "adapter_config.json").unlink()


if sys.argv[2] == "--merge":
    sys.exit(merge())


class Episodes:
    """The environment, in a process beside this one."""

    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.begun = self.played = self.succeeded = 0

    def ask(self, **what):
        self.server.stdin.write(json.dumps(what) + "\n")
        self.server.stdin.flush()
        line = self.server.stdout.readline()
        if not line:
            sys.exit("the environment's process has ended")
        return json.loads(line)

    def begin(self, task):
        self.begun += 1
        return self.ask(task=task, seed=SETTINGS["seed"] * 1_000_003 + self.begun)["episode"]

    def act(self, episode, text):
        said = self.ask(episode=episode, text=text)
        if "observation" not in said:
            self.played += 1
            self.succeeded += said["success"]
        return said

    def success(self):
        """Of the episodes since the last call."""
        share = self.succeeded / max(1, self.played)
        self.played = self.succeeded = 0
        return share


def open_tokenizer():
    """The policy's, for which an answer's marks are text: trainers leave special tokens out of what they decode."""
    own = OUT / "tokenizer"
    own.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "special_tokens_map.json"):
        if (Path(SETTINGS["policy"]) / name).exists():
            shutil.copy(Path(SETTINGS["policy"]) / name, own)
    tokens = json.loads((own / "tokenizer.json").read_text())
    for token in tokens["added_tokens"]:
        token["special"] &= token["content"] not in ("<think>", "</think>", "<answer>", "</answer>")
    (own / "tokenizer.json").write_text(json.dumps(tokens))
    return AutoTokenizer.from_pretrained(own, padding_side="left")


episodes = Episodes(sys.argv[2:])
described = episodes.ask()
tokenizer = open_tokenizer()
model = AutoModelForCausalLM.from_pretrained(SETTINGS["policy"], dtype=torch.float32)
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token


def messages(observation):
    own = [{"role": "user", "content": observation}]
    return [{"role": "system", "content": SETTINGS["system"]}] + own if SETTINGS["system"] else own


def rendered(conversation, **options):
    return tokenizer.apply_chat_template(conversation, tokenize=True, return_dict=False, **options)


# A rollout function is told the prompt alone.
TASKS = {json.dumps(messages(prompt)): task for task, prompt in enumerate(described["prompts"])}
ROWS = [{"prompt": messages(prompt), "task": task} for task, prompt in enumerate(described["prompts"])]


def behind_answer(observation):
    """What the chat template writes between the end of an answer and the next one's beginning."""
    before = messages("a") + [{"role": "assistant", "content": "b"}]
    whole = rendered(before + [{"role": "user", "content": observation}], add_generation_prompt=True)
    end = len(rendered(before))
    while whole[end - 1] not in ends:
        end -= 1
    return whole[end:]


def play(prompts, trainer):
    """TRL's rollout function: whole episodes, each turn of all of them in one batch."""
    own = [episodes.begin(TASKS[json.dumps(prompt)]) for prompt in prompts]
    ids = [rendered(prompt, add_generation_prompt=True) for prompt in prompts]
    written, mask, returns = [[] for _ in own], [[] for _ in own], [0.0] * len(own)
    live = list(range(len(own)))
    while live:
        answers, _ = trainer._generate_single_turn([ids[i] + written[i] for i in live], None, {}, 1)
        going = []
        for i, answer in zip(live, answers):
            ended = answer[-1] in ends
            said = episodes.act(own[i], tokenizer.decode(answer[:-1] if ended else answer))
            returns[i] += said["reward"]
            written[i] += answer
            mask[i] += [1] * len(answer)
            if "observation" in said:
                more = ([] if ended else [tokenizer.eos_token_id]) + behind_answer(said["observation"])
                written[i] += more
                mask[i] += [0] * len(more)
                going.append(i)
        live = going
    return {"prompt_ids": ids, "completion_ids": written, "logprobs": None, "env_mask": mask, "episode_return": returns}


def of_episode(episode_return, **_):
    return episode_return


def of_answer(completions, task, **_):
    """The reward of tasks of one turn."""
    texts = [answer if isinstance(answer, str) else answer[0]["content"] for answer in completions]
    return [episodes.act(episodes.begin(t), text)["reward"] for t, text in zip(task, texts)]


class Curve(TrainerCallback):
    """Saves the policy now and then, off the clock."""

    def __init__(self):
        self.off, self.rollouts = 0.0, 0
        self.start = time.perf_counter()

    def on_train_begin(self, args, state, control, **_):
        # What is played before is A2PO's first stage: it counts, but not as a success of the first update.
        self.rollouts = episodes.played
        episodes.success()

    def on_step_end(self, args, state, control, model=None, **_):
        now = time.perf_counter()
        self.rollouts += episodes.played
        line = {
            "step": state.global_step,
            "rollouts": self.rollouts,
            "seconds": now - self.start - self.off,
            "success": episodes.success(),
        }
        if state.global_step % SETTINGS["every"] == 0 or state.global_step == SETTINGS["steps"]:
            folder = OUT / f"step-{state.global_step:06d}"
            model.save_pretrained(folder)
            line["policy"] = str(folder)
        with open(OUT / "curve.jsonl", "a") as out:
            out.write(json.dumps(line) + "\n")
        print(f"{SETTINGS['method']}: update {line['step']} after {line['seconds']:.0f} s", file=sys.stderr, flush=True)
        self.off += time.perf_counter() - now


def rate_share(step):
    """The share of the learning rate that Vstar's schedule has in a step, 0 for the first."""
    o, steps = SETTINGS["optimizer"], SETTINGS["steps"]
    if step < o["warmupSteps"]:
        return (step + 1) / (o["warmupSteps"] + 1)
    progress = (step - o["warmupSteps"]) / max(1, steps - 1 - o["warmupSteps"])
    cosine = 0.5 * (1 + math.cos(math.pi * min(1, progress)))
    return o["finalFraction"] + (1 - o["finalFraction"]) * cosine


def schedule(num_training_steps, optimizer=None):
    """In place of a trainer's create_scheduler, none of whose own begins above 0."""
    training.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer or training.optimizer, rate_share)
    return training.lr_scheduler


def common():
    o = SETTINGS["optimizer"]
    return {
        "output_dir": str(OUT / "trl"),
        "seed": SETTINGS["seed"],
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "per_device_train_batch_size": SETTINGS["microBatch"],
        "gradient_accumulation_steps": SETTINGS["episodes"] // SETTINGS["microBatch"],
        "max_steps": SETTINGS["steps"],
        "learning_rate": o["learningRate"],
        "adam_beta1": o["adamBeta1"],
        "adam_beta2": o["adamBeta2"],
        "adam_epsilon": o["epsilon"],
        "weight_decay": o["weightDecay"],
        "max_grad_norm": o["clipNorm"],
        "temperature": 1.0,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
    }


def trainer(dataset):
    method = SETTINGS["method"]
    settings = common() | {"max_completion_length": SETTINGS["maxTokensPerTurn"]}
    parts = {"model": model, "train_dataset": dataset, "processing_class": tokenizer}
    if SETTINGS["lora"]:
        from peft import LoraConfig

        lora = SETTINGS["lora"]
        parts["peft_config"] = LoraConfig(
            r=lora["rank"], lora_alpha=lora["alpha"], target_modules=lora["targets"], task_type="CAUSAL_LM"
        )
    if method == "a2po":
        from trl.experimental.a2po import A2POConfig, A2POTrainer

        if parts.pop("peft_config", None):
            sys.exit("TRL's A2PO trains all weights: leave train.lora out")
        # Its two stages, with the samples and the betas of the config.
        own = {key: SETTINGS[key] for key in ("beta1", "beta2")} | {"num_value_samples": SETTINGS["samples"]}
        # It knows a task by its prompt, which all bandits share: one that never paid would take all away.
        own["filter_all_incorrect"] = False
        return A2POTrainer(reward_funcs=of_answer, args=A2POConfig(**settings, **own), **parts)
    settings["num_generations"] = SETTINGS["generations"]
    if method == "rloo":
        from trl import RLOOConfig, RLOOTrainer

        return RLOOTrainer(reward_funcs=of_answer, args=RLOOConfig(**settings), **parts)
    from trl import GRPOConfig, GRPOTrainer

    if method == "dr-grpo":
        settings |= {"scale_rewards": "none", "loss_type": "dr_grpo"}
    if described["maxTurns"] == 1:
        return GRPOTrainer(reward_funcs=of_answer, args=GRPOConfig(**settings), **parts)
    return GRPOTrainer(reward_funcs=of_episode, args=GRPOConfig(**settings), rollout_func=play, **parts)


OUT.mkdir(parents=True, exist_ok=True)
if described["maxTurns"] > 1 and len(TASKS) < len(ROWS):
    sys.exit("some tasks have the same prompt, which TRL's rollout function cannot tell apart")
training = trainer(Dataset.from_list(ROWS))
ends = set(training.eos_token_ids if hasattr(training, "eos_token_ids") else [tokenizer.eos_token_id])
training.create_scheduler = schedule
training.add_callback(Curve())
training.train()
