import { Noise } from "../../../../src/engine/images/noise.js";
import {
  floats,
  type Constant,
  type OnnxGraph,
  type OnnxNode,
} from "../../../../test/kit/models/onnx-writer.js";

const latentChannels = 4;
const channels = 64;
const layers = 6;
const textWidth = 8;

/**
 * Returns a denoiser of consecutive wide convolutions, a few gigaflops per image of 512 pixels. It ignores
 * prompt and timestep.
 */
export function wideDenoiser(): OnnxGraph {
  const noise = new Noise(1);
  const widths = [latentChannels, ...Array.from({ length: layers }, () => channels), latentChannels];
  const constants: Record<string, Constant> = {};
  const nodes: OnnxNode[] = [];
  for (const [layer, outputs] of widths.slice(1).entries()) {
    const inputs = widths[layer] ?? channels;
    // Scaled so that outputs have about the magnitude of inputs.
    const scale = Math.sqrt(2 / (inputs * 9));
    const values = [...noise.gaussians(outputs * inputs * 9)].map((value) => value * scale);
    constants[`weights${layer}`] = floats([outputs, inputs, 3, 3], values);
    const isLast = layer === widths.length - 2;
    const from = layer === 0 ? "sample" : `layer${layer - 1}`;
    const to = isLast ? "out_sample" : `wide${layer}`;
    nodes.push({
      op: "Conv",
      inputs: [from, `weights${layer}`],
      outputs: [to],
      attributes: { pads: [1, 1, 1, 1] },
    });
    if (!isLast) nodes.push({ op: "Relu", inputs: [to], outputs: [`layer${layer}`] });
  }
  const image = ["batch_size", latentChannels, "height", "width"];
  return {
    inputs: [
      { name: "sample", type: "float32", shape: image },
      { name: "timestep", type: "int64", shape: [1] },
      { name: "encoder_hidden_states", type: "float32", shape: ["batch_size", "sequence_length", textWidth] },
    ],
    outputs: [{ name: "out_sample", type: "float32", shape: image }],
    constants,
    nodes,
  };
}
