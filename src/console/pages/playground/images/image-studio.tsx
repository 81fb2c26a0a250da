import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { WireImageModels } from "../../../../http/inference/models/image-generation-models.js";
import { durationText } from "../../../lib/format.js";
import { useList } from "../../../lib/resource.js";
import { useStore } from "../../../lib/store.js";
import { Field, Select, TextArea } from "../../../parts/field.js";
import { Empty, ErrorBox, Loaded } from "../../../parts/page.js";
import { generate, pictures, setFields, stopImages, type ImageFields, type Picture } from "./pictures.js";

/** Generates images from a text. */
export function ImageStudio(): JSX.Element {
  const models = useList<ImageModel>("/v1/image-generation-models", "models");
  return (
    <Loaded from={models}>
      {(all) =>
        all.length === 0 ? (
          <Empty title="No image model">
            <p>This server has no model that generates images, or none that you may use.</p>
          </Empty>
        ) : (
          <Studio models={all} />
        )
      }
    </Loaded>
  );
}

type ImageModel = WireImageModels["models"][number];

function Studio({ models }: { readonly models: readonly ImageModel[] }): JSX.Element {
  const state = useStore(pictures);
  return (
    <div class="image-studio">
      <ImageForm fields={state.fields} isRunning={state.isRunning} models={models} />
      <section class="gallery" aria-label="Generated images" aria-busy={state.isRunning}>
        {state.error !== null && <ErrorBox error={state.error} onRetry={() => void generate()} />}
        {state.isRunning && <p class="hint waiting">Generating …</p>}
        {!state.isRunning && state.tookMs !== null && (
          <p class="figures">The last request took {durationText(state.tookMs)}.</p>
        )}
        {state.pictures.length === 0 && !state.isRunning && (
          <Empty title="No images yet">
            <p>Describe an image, and generate it.</p>
          </Empty>
        )}
        <div class="pictures">
          {state.pictures.map((picture) => (
            <PictureView key={picture.id} picture={picture} />
          ))}
        </div>
      </section>
    </div>
  );
}

interface ImageFormProps {
  readonly fields: ImageFields;
  readonly isRunning: boolean;
  readonly models: readonly ImageModel[];
}

function ImageForm({ fields, isRunning, models }: ImageFormProps): JSX.Element {
  const { model } = fields;
  useEffect(() => {
    const [first] = models;
    if (first !== undefined && !models.some(({ id }) => id === model)) setFields({ model: first.id });
  }, [model, models]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isRunning && fields.prompt.trim() !== "") void generate();
  };
  return (
    <form onSubmit={submit}>
      <TextArea
        label="Prompt"
        rows={4}
        hint="The built-in model draws simple shapes, such as a red circle."
        value={fields.prompt}
        onValue={(prompt) => setFields({ prompt })}
      />
      <Select
        label="Model"
        value={model}
        onValue={(value) => setFields({ model: value })}
        options={models.map(({ id }) => [id, id])}
      />
      <OrderFields fields={fields} />
      <footer>
        {isRunning && (
          <button type="button" onClick={stopImages}>
            Stop
          </button>
        )}
        <button type="submit" class="primary" aria-busy={isRunning} disabled={fields.prompt.trim() === ""}>
          Generate
        </button>
      </footer>
    </form>
  );
}

function OrderFields({ fields }: { readonly fields: ImageFields }): JSX.Element {
  return (
    <div class="sampling">
      <Field
        label="Number of images"
        type="number"
        min={1}
        max={10}
        required
        value={fields.count}
        onValue={(count) => setFields({ count })}
      />
      <Field
        label="Size"
        placeholder="default"
        hint="Such as 512x512."
        value={fields.size}
        onValue={(size) => setFields({ size })}
      />
      <Field
        label="Seed"
        type="number"
        placeholder="random"
        value={fields.seed}
        onValue={(seed) => setFields({ seed })}
      />
    </div>
  );
}

function PictureView({
  picture: { url, prompt, size, seed, fileName },
}: {
  readonly picture: Picture;
}): JSX.Element {
  return (
    <figure>
      <img src={url} alt={prompt} />
      <figcaption>
        <span>{prompt}</span>
        <small class="hint">
          {size}, seed {seed}
        </small>
        <a href={url} download={fileName}>
          Download
        </a>
      </figcaption>
    </figure>
  );
}
