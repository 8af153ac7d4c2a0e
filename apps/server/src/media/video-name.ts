/** Endings of files that are looked at; what a file really is shows when it is read. */
const VIDEO =
  /\.(mp4|m4v|mov|mkv|webm|avi|gif|ts|m2ts|mts|mpg|mpeg|flv|ogv|wmv|asf|3gp|3g2|ivf|mxf|dv|nut|y4m|h264|h265|hevc|apng)$/i;

/** True for a name that a video may have. */
export const isVideoName = (name: string): boolean => VIDEO.test(name);
