"""Write the block scores of a real model to a score dump, one shard an (example, layer)."""

import contextlib
import hashlib
import importlib.metadata
import io
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
import transformers
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from refsym_gpu.inputs import Scorer
from refsym_gpu.models import AttentionCall, register_attention
from refsym_gpu.reference import measure_attention, measure_noise, tile_scores
from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.score_dump import DumpSettings, Prompt, ScoreDumpWriter, ShardArrays, file_sha256

Progress = Callable[[int, int], None]


def dump_scores(
    model: PreTrainedModel,
    input_ids: Tensor | Sequence[Tensor],
    *,
    out: Path | str,
    scorer: Scorer = "kmean",
    block_m: int = 64,
    block_n: int = 64,
    with_mass: bool = True,
    force: bool = False,
    model_id: str | None = None,
    revision: str = "",
    progress: Progress | None = None,
) -> Path:
    """Run each prompt through the model and dump the block scores of every attention layer.

    A dump that was interrupted is completed: finished shards are kept, and a prompt whose shards are all
    there is not run again.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        In evaluation mode, with attention implementation "sdpa" or "eager".
    input_ids : [M], [examples, M], or a sequence of [M]
        Token ids; prompts may differ in length and are run one at a time, without padding.
    out : directory of the dump
    scorer : "kmean" or "quest"
    block_m, block_n : rows of a tile, keys of a block
    with_mass : also dump the dense softmax mass of every block, and the radius of the values
    force : start afresh if ``out`` holds a dump
    model_id, revision : what the index records; the id is the name of the loaded model by default
    progress : called with (shards finished, shards in all)

    Returns
    -------
    Path
        ``index.json``.

    Raises
    ------
    InputError
        An empty prompt, a model in training mode, attention that is not supported (named), a dump with other
        settings in ``out``, a score or mass that is not finite (with its place).
    """
    if isinstance(input_ids, Tensor):
        input_ids = list(input_ids[None] if input_ids.ndim == 1 else input_ids)
    prompts = [ids.cpu() for ids in input_ids]
    if not prompts or not all(len(ids) for ids in prompts):
        raise InputError("there is no token to run: give at least one prompt, none of them empty")
    if model.training:
        raise InputError("the model is in training mode; call model.eval() first")
    settings = DumpSettings(
        model=Path(model.config._name_or_path).name or type(model).__name__ if model_id is None else model_id,
        revision=revision,
        scorer=scorer,
        block_m=block_m,
        block_n=block_n,
        prompts=tuple(_prompt(ids) for ids in prompts),
        with_mass=with_mass,
        versions={
            "python": platform.python_version(),
            "refsym": importlib.metadata.version("refsym"),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    )
    # Before anything is written: a model that cannot be observed must not cost an older dump its place.
    layers = _attention_layers(model, prompts[0][:1])
    with ScoreDumpWriter(out, settings, force=force) as writer:
        total = len(prompts) * len(layers)
        for example, ids in enumerate(prompts):
            missing = {layer for layer in layers if not writer.done(example, layer)}
            finished = (example + 1) * len(layers) - len(missing)
            if progress is not None:
                progress(finished, total)

            def write(call: AttentionCall, example: int = example, missing: set[int] = missing) -> None:
                if call.layer not in missing:
                    return
                missing.remove(call.layer)
                writer.write(example, call.layer, *_shard(call, scorer, block_m, block_n, with_mass))
                if progress is not None:
                    progress((example + 1) * len(layers) - len(missing), total)

            if missing:
                _run(model, ids, write)
        return writer.finish()


def dump_model(
    model_path: Path | str,
    prompt_text: str | Sequence[str],
    *,
    tokens: int,
    out: Path | str,
    scorer: Scorer = "kmean",
    block_m: int = 64,
    block_n: int = 64,
    with_mass: bool = True,
    force: bool = False,
    model_id: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Load a model from disk, tokenise the prompts, dump the scores; nothing comes from a network.

    Parameters
    ----------
    model_path : folder in Transformers' format, or a .gguf file
    prompt_text : one prompt or several; each becomes an example
    tokens : a prompt is cut after so many tokens; a shorter one is used whole
    model_id : what the index records; the name of the file or folder by default

    The other parameters are those of :func:`dump_scores`. The index records as revision the SHA-256 of the
    weights and the model's number format.

    Raises
    ------
    InputError
        As :func:`dump_scores`; also a path that holds no model, an empty prompt, more tokens than the model's
        context holds.
    """
    path = Path(model_path)
    texts = [prompt_text] if isinstance(prompt_text, str) else list(prompt_text)
    for index, text in enumerate(texts):
        if not text.strip():
            raise InputError(f"prompt {index} is empty")
    model, tokenizer = load_model(path)
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if tokens < 1 or (context is not None and tokens > context):
        raise InputError(f"tokens must lie between 1 and the model's context of {context}, not {tokens}")
    input_ids = [torch.tensor(tokenizer(text, verbose=False).input_ids[:tokens]) for text in texts]
    return dump_scores(
        model,
        input_ids,
        out=out,
        scorer=scorer,
        block_m=block_m,
        block_n=block_n,
        with_mass=with_mass,
        force=force,
        model_id=path.resolve().name.removesuffix(".gguf") if model_id is None else model_id,
        revision=f"sha256:{_weights_sha256(path)} {str(model.dtype).removeprefix('torch.')}",
        progress=progress,
    )


def _shard(
    call: AttentionCall, scorer: Scorer, block_m: int, block_n: int, with_mass: bool
) -> tuple[LayerGeometry, ShardArrays]:
    """What the dump says of one layer of one prompt."""
    q, k, v = call.query, call.key, call.value
    geometry = LayerGeometry(
        heads=q.shape[1],
        kv_heads=k.shape[1],
        head_dim=q.shape[3],
        scale=call.scale,
        window=call.window,
        q_len=q.shape[2],
        kv_len=k.shape[2],
        block_m=block_m,
        block_n=block_n,
    )
    tiles = tile_scores(q, k, scorer=scorer, block_m=block_m, block_n=block_n, scale=call.scale, window=call.window)
    noise = measure_noise(q, k, scorer=scorer, block_m=block_m, block_n=block_n, scale=call.scale, window=call.window)
    dense = (
        measure_attention(q, k, v, block_m=block_m, block_n=block_n, scale=call.scale, window=call.window)
        if with_mass
        else None
    )
    visible = tiles.visible[0]
    pairs = geometry.visible()
    return geometry, ShardArrays(
        scores=tiles.scores[0][:, visible].cpu().numpy(),
        indptr=pairs.indptr,
        indices=pairs.indices,
        forced=pairs.forced,
        step_sq_sum=noise.step_sq_sum[0].cpu().numpy(),
        step_count=noise.step_count[0].cpu().numpy(),
        half_diff_sq_sum=noise.half_diff_sq_sum[0].cpu().numpy(),
        half_diff_count=noise.half_diff_count[0].cpu().numpy(),
        mass=None if dense is None else dense.mass[0][:, visible].cpu().numpy(),
        value_radius=None if dense is None else dense.value_radius[0].cpu().numpy(),
    )


def _prompt(ids: Tensor) -> Prompt:
    return Prompt(len(ids), hashlib.sha256(ids.numpy().astype("<i8").tobytes()).hexdigest())


def _attention_layers(model: PreTrainedModel, token: Tensor) -> list[int]:
    """Layers that call attention, found by running one token: hybrid models have others in between."""
    layers: list[int] = []
    _run(model, token, lambda call: layers.append(call.layer))
    if not layers:
        raise InputError(f"{type(model).__name__} does not call Transformers' attention interface")
    if len(set(layers)) < len(layers):
        raise InputError(f"{type(model).__name__} calls attention more than once under one layer index")
    return layers


def _run(model: PreTrainedModel, ids: Tensor, observe: Callable[[AttentionCall], None]) -> None:
    """One prefill; the base model is enough, since nobody reads the logits."""
    with torch.inference_mode(), register_attention(model, observe):
        model.base_model(input_ids=ids[None].to(model.device), use_cache=False)


def load_model(path: Path) -> tuple[PreTrainedModel, transformers.PreTrainedTokenizerBase]:
    """A model in evaluation mode, on a GPU if there is one, and its tokenizer; a folder or a .gguf file.

    Raises
    ------
    InputError
        Nothing there that Transformers can load.
    """
    if path.is_file() and path.suffix == ".gguf":
        folder, source = path.parent, {"gguf_file": path.name}
    elif (path / "config.json").is_file():
        folder, source = path, {"dtype": "auto"}
    else:
        raise InputError(f"{path}: neither a folder with config.json nor a .gguf file")
    try:
        # Progress bars go to stderr; whoever calls shows their own.
        with contextlib.redirect_stderr(io.StringIO()):
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **source)
            model = AutoModelForCausalLM.from_pretrained(
                folder,
                local_files_only=True,
                device_map="auto" if torch.cuda.is_available() else None,
                **source,
            )
    except Exception as error:  # a damaged file can raise anything
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise InputError(f"{path}: Transformers cannot load it: {reason}") from error
    return model, tokenizer


def _weights_sha256(path: Path) -> str:
    """SHA-256 of a .gguf file, or of the names and hashes of a folder's configuration and weights."""
    if path.is_file():
        return file_sha256(path)
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()):
        if file.name == "config.json" or file.suffix in (".safetensors", ".bin"):
            digest.update(f"{file.name} {file_sha256(file)}\n".encode())
    return digest.hexdigest()
