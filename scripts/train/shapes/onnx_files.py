"""Exports networks to ONNX files with weights stored in half precision, and writes the manifest of a model's folder.

The weights are cast back when a file is loaded: the file is half as large, but names and arithmetic stay those of float32.
"""
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

MODELS = Path(__file__).resolve().parents[3] / "models"
CREATED = 1795219200


def write_graph(module, arguments, path, inputs, outputs, axes):
    """Exports `module` in evaluation mode; `axes` names the dimensions that vary. Returns the file's size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    with torch.no_grad():
        torch.onnx.export(module.eval(), arguments, str(draft), opset_version=14, input_names=inputs, output_names=outputs, dynamic_axes=axes)
    graph = onnx.load(str(draft))
    store_halves(graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(draft))
    draft.replace(path)
    return path.stat().st_size


def store_halves(model):
    """Replaces every float32 weight of more than 256 numbers by its half and a Cast."""
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type == TensorProto.FLOAT and int(np.prod(weight.dims)) > 256:
            name = weight.name
            half = numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), name + "_half")
            weight.CopyFrom(half)
            casts.append(helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))
    for i, cast in enumerate(casts):
        model.graph.node.insert(i, cast)


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_manifest(folder, first_file, names, facts):
    """Writes manifest.json: `first_file` identifies the model, `names` lists every file that is loaded."""
    digest = lambda name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
    files = [{"path": n, "bytes": (folder / n).stat().st_size, "sha256": digest(n)} for n in names]
    content = {"id": folder.name, **facts, "file": first_file, "bytes": sum(f["bytes"] for f in files), "sha256": digest(first_file), "files": files}
    content |= {
        "capabilities": {"reasoning": False, "tools": False, "structuredOutputs": False},
        "license": "Apache-2.0", "created": CREATED,
    }
    write_json(folder / "manifest.json", content)
    print(folder.name, content["bytes"], "bytes in", len(files), "files")
