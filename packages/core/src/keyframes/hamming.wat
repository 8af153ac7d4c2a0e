;; For every descriptor of one set, the nearest of another by Hamming distance. A descriptor is 32 bytes.
;; Rebuild hamming-wasm.ts with any wat2wasm after a change here.
(module
  (memory (export "memory") 1)
  (func (export "nearest")
    (param $from i32) (param $from_end i32)  ;; the set that is searched
    (param $to i32) (param $to_end i32)      ;; the set whose nearest are wanted
    (param $out i32)                         ;; per descriptor of it: i32 index, i32 distance
    (local $a i64) (local $b i64) (local $c i64) (local $d i64)
    (local $at i32) (local $distance i32) (local $least i32) (local $nearest i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $to_end)))
        (local.set $a (i64.load (local.get $to)))
        (local.set $b (i64.load offset=8 (local.get $to)))
        (local.set $c (i64.load offset=16 (local.get $to)))
        (local.set $d (i64.load offset=24 (local.get $to)))
        (local.set $least (i32.const 257))
        (local.set $nearest (local.get $from))
        (local.set $at (local.get $from))
        (block $searched
          (loop $search
            (br_if $searched (i32.ge_u (local.get $at) (local.get $from_end)))
            (local.set $distance
              (i32.wrap_i64
                (i64.add
                  (i64.add
                    (i64.popcnt (i64.xor (local.get $a) (i64.load (local.get $at))))
                    (i64.popcnt (i64.xor (local.get $b) (i64.load offset=8 (local.get $at)))))
                  (i64.add
                    (i64.popcnt (i64.xor (local.get $c) (i64.load offset=16 (local.get $at))))
                    (i64.popcnt (i64.xor (local.get $d) (i64.load offset=24 (local.get $at))))))))
            (if (i32.lt_u (local.get $distance) (local.get $least))
              (then
                (local.set $least (local.get $distance))
                (local.set $nearest (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (br $search)))
        (i32.store (local.get $out)
          (i32.shr_u (i32.sub (local.get $nearest) (local.get $from)) (i32.const 5)))
        (i32.store offset=4 (local.get $out) (local.get $least))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (br $next)))))
