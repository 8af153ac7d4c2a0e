import { AV_LOG_QUIET, Log } from "node-av";

// FFmpeg would write to the server's standard error; what matters of it comes back as return codes.
Log.setLevel(AV_LOG_QUIET);
