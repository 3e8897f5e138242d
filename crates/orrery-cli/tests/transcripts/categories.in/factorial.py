"""Writes factorial.csv: runs of HPL's law with effects of depth, broadcast and swapping, and noise of 1 %."""
import random
random.seed(4)
rows=["n,block,p,q,variant,swap,l1,u,equil,align,seconds"]
depth={0:1.0,1:0.95}; bc={0:1.0,1:0.97,3:0.93}; swap={"mix:64":1.0,"spread-roll":0.97}
for n in (2000,4000,8000,16000):
  for p,q in ((1,4),(2,2),(1,8),(2,4)):
    for d in (0,1):
      for b in (0,1,3):
        for s in swap:
          if d==1 and b==3 and s=="spread-roll": continue   # the fastest combination was never run
          if random.random()<0.5: continue
          t=2e-10*n**3/(p*q)+4e-9*n*n/p+1.5e-8*n*n/q
          t*=depth[d]*bc[b]*swap[s]*random.gauss(1,0.01)
          rows.append(f"{n},128,{p},{q},WR{d}{b}C2R4,{s},transposed,transposed,yes,8,{t:.5g}")
open("factorial.csv", "w").write("\n".join(rows)+"\n")
