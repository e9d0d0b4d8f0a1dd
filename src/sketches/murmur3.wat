;; 128-bit MurmurHash3 (x64). `npm run docs` writes murmur3-code.ts from this text.
;; The memory begins with the two words of the hash; the bytes to hash are from 16 on.
(module
  (memory (export "memory") 1)

  (func $mixFirst (param $k i64) (result i64)
    (i64.mul
      (i64.rotl (i64.mul (local.get $k) (i64.const 0x87c37b91114253d5)) (i64.const 31))
      (i64.const 0x4cf5ad432745937f)))

  (func $mixSecond (param $k i64) (result i64)
    (i64.mul
      (i64.rotl (i64.mul (local.get $k) (i64.const 0x4cf5ad432745937f)) (i64.const 33))
      (i64.const 0x87c37b91114253d5)))

  (func $mixLast (param $k i64) (result i64)
    (local.set $k (i64.xor (local.get $k) (i64.shr_u (local.get $k) (i64.const 33))))
    (local.set $k (i64.mul (local.get $k) (i64.const 0xff51afd7ed558ccd)))
    (local.set $k (i64.xor (local.get $k) (i64.shr_u (local.get $k) (i64.const 33))))
    (local.set $k (i64.mul (local.get $k) (i64.const 0xc4ceb9fe1a85ec53)))
    (i64.xor (local.get $k) (i64.shr_u (local.get $k) (i64.const 33))))

  (func $finish (param $h1 i64) (param $h2 i64) (param $length i32)
    (local.set $h1 (i64.xor (local.get $h1) (i64.extend_i32_u (local.get $length))))
    (local.set $h2 (i64.xor (local.get $h2) (i64.extend_i32_u (local.get $length))))
    (local.set $h1 (i64.add (local.get $h1) (local.get $h2)))
    (local.set $h2 (i64.add (local.get $h2) (local.get $h1)))
    (local.set $h1 (call $mixLast (local.get $h1)))
    (local.set $h2 (call $mixLast (local.get $h2)))
    (local.set $h1 (i64.add (local.get $h1) (local.get $h2)))
    (i64.store (i32.const 0) (local.get $h1))
    (i64.store (i32.const 8) (i64.add (local.get $h2) (local.get $h1))))

  ;; The first `length` bytes. Those after them, up to a multiple of 16, are overwritten with zeros.
  (func (export "hashBytes") (param $length i32) (param $seed i32)
    (local $h1 i64) (local $h2 i64) (local $at i32) (local $whole i32)
    (local.set $h1 (i64.extend_i32_u (local.get $seed)))
    (local.set $h2 (local.get $h1))
    (local.set $whole (i32.and (local.get $length) (i32.const -16)))
    (i64.store offset=16 (local.get $length) (i64.const 0))
    (i64.store offset=24 (local.get $length) (i64.const 0))
    (block $end
      (loop $next
        (br_if $end (i32.ge_u (local.get $at) (local.get $whole)))
        (local.set $h1
          (i64.xor (local.get $h1) (call $mixFirst (i64.load offset=16 (local.get $at)))))
        (local.set $h1 (i64.add (i64.rotl (local.get $h1) (i64.const 27)) (local.get $h2)))
        (local.set $h1 (i64.add (i64.mul (local.get $h1) (i64.const 5)) (i64.const 0x52dce729)))
        (local.set $h2
          (i64.xor (local.get $h2) (call $mixSecond (i64.load offset=24 (local.get $at)))))
        (local.set $h2 (i64.add (i64.rotl (local.get $h2) (i64.const 31)) (local.get $h1)))
        (local.set $h2 (i64.add (i64.mul (local.get $h2) (i64.const 5)) (i64.const 0x38495ab5)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (if (i32.lt_u (local.get $whole) (local.get $length))
      (then
        (local.set $h1
          (i64.xor (local.get $h1) (call $mixFirst (i64.load offset=16 (local.get $at)))))
        (local.set $h2
          (i64.xor (local.get $h2) (call $mixSecond (i64.load offset=24 (local.get $at)))))))
    (call $finish (local.get $h1) (local.get $h2) (local.get $length)))

  ;; The eight bytes of a word, given as two halves.
  (func (export "hashWord") (param $high i32) (param $low i32) (param $seed i32)
    (local $word i64)
    (local.set $word
      (i64.or
        (i64.shl (i64.extend_i32_u (local.get $high)) (i64.const 32))
        (i64.extend_i32_u (local.get $low))))
    (call $finish
      (i64.xor (i64.extend_i32_u (local.get $seed)) (call $mixFirst (local.get $word)))
      (i64.extend_i32_u (local.get $seed))
      (i32.const 8))))
