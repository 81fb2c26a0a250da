/** What the help of a chat prints. */
import { parameterNames } from "../settings.js";

export const chatHelp = `Commands:
  /set            change what answers are like: /? set
  /show           show what is known of the model: /? show
  /model [NAME]   list the models, or go on with another one
  /load NAME      begin a new conversation with a model
  /clear          begin a new conversation
  /bye, /exit     leave
  /?, /help       this help
  /? shortcuts    keys

A message of several lines goes between """ and """.
The path of an image or a sound in a message sends the file.
`;

export const setHelp = `/set commands:
  /set parameter NAME VALUE   ${parameterNames.slice(0, 5).join(", ")},
                              ${parameterNames.slice(5, 9).join(", ")},
                              ${parameterNames.slice(9).join(", ")}
  /set system TEXT            a system message; between """ with several lines
  /set think [EFFORT]         let a reasoning model reason: on, off, low,
                              medium or high
  /set nothink                let it not reason
  /set format json|SCHEMA     the form of answers; /set noformat
  /set verbose, quiet         print times and rates, or not
  /set wordwrap, nowordwrap   break lines between words, or not
  /set history, nohistory     keep what you type, or not
`;

export const showHelp = `/show commands:
  /show info         the model
  /show parameters   parameters of this chat and of the model
  /show system       the system message
  /show template     the chat template
  /show license      the license
`;

export const shortcutsHelp = `Keys:
  Ctrl-A, Ctrl-E   to the beginning or the end of the line
  Alt-B, Alt-F     one word back or forward
  Ctrl-U, Ctrl-K   delete to the beginning or the end of the line
  Ctrl-W           delete the word before the cursor
  Up, Down         earlier and later lines
  Ctrl-L           clear the screen
  Ctrl-C           stop the answer, or delete the line
  Ctrl-D           leave
`;
