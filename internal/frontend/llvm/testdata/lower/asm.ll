define i32 @barriers(i32 %v) {
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "# a comment\0A\09", "~{memory}"()
  call void asm sideeffect "mfence", "~{memory},~{dirflag},~{fpsr},~{flags}"()
  call void asm sideeffect "lock; addl $$0,-4(%rsp)", "~{memory},~{cc}"()
  call void asm sideeffect "lock orq $$0x0, (%rsp)", ""()
  call void asm sideeffect "rep; nop", "~{memory}"()
  call void asm sideeffect "dmb ishld; dmb ishst", "~{memory}"()
  call void asm sideeffect "fence rw, w", "~{memory}"()
  call void asm sideeffect "lwsync", "~{memory}"()
  %1 = call i32 asm "", "=r,0,~{dirflag}"(i32 %v)
  %2 = call { i32, i32 } asm sideeffect "", "=r,=r,1,0"(i32 %v, i32 9)
  %3 = extractvalue { i32, i32 } %2, 0
  call void asm sideeffect "lock; xaddl $0,$1", "=r,=*m"(ptr elementtype(i32) null)
  ret i32 %1
}
