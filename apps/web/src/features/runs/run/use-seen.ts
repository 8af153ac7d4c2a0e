import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** How near an element has to come to what is in sight, in pixels. */
const NEAR_PX = 60;

/** True once an element has come near what is in sight. */
export function useSeen<T extends Element>() {
  const ref = useRef<T>(null);
  const [isSeen, setSeen] = useState(false);
  // What is in sight from the start need not wait for the frame in which the observer says so.
  useLayoutEffect(() => {
    const { top, bottom } = ref.current?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (bottom > -NEAR_PX && top < innerHeight + NEAR_PX) setSeen(true);
  }, []);
  useEffect(() => {
    const element = ref.current;
    if (!element || isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: `${NEAR_PX}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return { ref, isSeen };
}
