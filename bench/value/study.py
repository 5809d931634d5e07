"""Trains on real tables with named groups, with and without robustness, and measures the
worst group on rows not trained on.

    python study.py BINARY TABLES.json OUT.jsonl [SPLITS]

TABLES.json is a list of {"name", "file" (CSV), "target", "groups"}. Every split keeps a quarter
of at most 9000 rows for measuring. One JSON object a split: average risk, risk and accuracy of
the worst group (at least 20 rows in both parts) for ERM with the group columns as features, ERM
without them and the default choice. Needs numpy and pandas."""
import json, os, subprocess, sys, tempfile, time

import numpy as np
import pandas as pd
from concurrent.futures import ThreadPoolExecutor
B, OUT, SEEDS = sys.argv[1], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 5
W = tempfile.mkdtemp()
tables = json.load(open(sys.argv[2]))
def run(*a):
    r=subprocess.run([B,*a],capture_output=True,text=True,timeout=200)
    return r
def one(t,s):
    df=pd.read_csv(t['file'],keep_default_na=False,na_values=['']).dropna()
    if len(df)>9000: df=df.sample(9000,random_state=1)
    rng=np.random.default_rng(100+s); te=np.zeros(len(df),bool); te[rng.choice(len(df),len(df)//4,replace=False)]=True
    p=f"{W}/{t['name']}-{s}"; os.makedirs(p,exist_ok=True)
    df[~te].to_csv(p+'/tr.csv',index=False); T=df[te].reset_index(drop=True); T.to_csv(p+'/te.csv',index=False)
    y=T[t['target']]; binary=not pd.api.types.is_numeric_dtype(df[t['target']]) or df[t['target']].nunique()==2
    g=T[t['groups']].astype(str).agg(' / '.join,axis=1); gtr=df[~te][t['groups']].astype(str).agg(' / '.join,axis=1).value_counts()
    res={}
    for m,opts in {'erm':['--average','plain','--group-features','shared'],'erm_without':['--average','plain','--group-features','no'],'default':[]}.items():
        t0=time.time()
        r=run('train','--data',p+'/tr.csv','--target',t['target'],'--groups',','.join(t['groups']),'--holdout','0','--report','none','--quiet','--seed',str(s),'--threads','1','--out',p+'/'+m,'--force','--json',*opts)
        sec=time.time()-t0
        if r.returncode not in(0,3,4): return dict(table=t['name'],seed=s,error=r.stderr[-300:])
        q=run('predict','--model',p+'/'+m+'/model.json','--data',p+'/te.csv','--out',p+'/p.csv','--force','--quiet','--model-variant','robust')
        if q.returncode: return dict(table=t['name'],seed=s,error=q.stderr[-300:])
        P=pd.read_csv(p+'/p.csv'); J=json.loads(r.stdout)
        if 'probability' in P:
            pr=P['probability'].clip(1e-12,1-1e-12).values
            pos=json.load(open(p+'/'+m+'/model.json'))['encoder']['target'].get('positive')
            yy=(y.astype(str)==str(pos)).values
            loss=np.where(yy,-np.log(pr),-np.log(1-pr)); acc=((pr>.5)==yy).astype(float)
        else:
            v=P['prediction'].values; loss=(v-y.values)**2/np.var(df[~te][t['target']]); acc=None
        gr=pd.Series(loss).groupby(g.values).agg(['mean','size']); ok=[k for k in gr.index if gr.loc[k,'size']>=20 and gtr.get(k,0)>=20]
        if not ok: return dict(table=t['name'],seed=s,error='groups')
        res[m]=dict(avg=float(loss.mean()),worst=float(gr.loc[ok,'mean'].max()),sec=sec,level=J.get('level'),ridge=(J.get('design') or {}).get('ridge'),
          acc=None if acc is None else float(pd.Series(acc).groupby(g.values).mean()[ok].min()))
    return dict(table=t['name'],seed=s,**res)
jobs=[(t,s) for t in tables for s in range(SEEDS)]
with ThreadPoolExecutor(2) as ex, open(OUT,'w') as f:
    for r in ex.map(lambda job: one(*job), jobs):
        f.write(json.dumps(r)+'\n'); f.flush()
