import { useExchange } from "../../app/exchange/exchange.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";

/** The dialog about key-frames and files that is open, if any is. */
export function ExchangeDialogs() {
  const dialog = useExchange((state) => state.dialog);
  if (dialog === null) return null;
  return dialog.kind === "export" ? <ExportDialog clips={dialog.clips} /> : <ImportDialog at={dialog.at} />;
}
