(()=>{"use strict";
const all=(selector,within=document)=>[...within.querySelectorAll(selector)];
const namespace=document.querySelector("svg")?.namespaceURI;
const add=(parent,name,attributes,text)=>{
  const element=document.createElementNS(namespace,name);
  for(const key in attributes)element.setAttribute(key,attributes[key]);
  if(text!==undefined)element.textContent=text;
  parent.append(element);
  return element;
};
const lights=new Map();
for(const day of all("[data-day]")){
  let pinned=null,shown=null;
  const status=all(".status",day)[0];
  const titles=all(".story .way .title",day);
  const paint=()=>{
    day.classList.toggle("lighted",shown!==null);
    for(const element of all("[data-t]",day))
      element.classList.toggle("lit",element.dataset.t===shown);
  };
  const show=trip=>{if(trip!==shown){shown=trip;paint()}};
  const tripOf=target=>target.closest?.("[data-t]")?.dataset.t??null;
  const pin=trip=>{
    pinned=trip===pinned?null:trip;
    show(pinned);
    for(const title of titles)title.setAttribute("aria-pressed",tripOf(title)===pinned);
    if(!status)return;
    const entry=titles.find(title=>tripOf(title)===pinned);
    status.textContent=entry?entry.parentElement.dataset.summary:"";
  };
  for(const title of titles){
    title.setAttribute("role","button");
    title.setAttribute("tabindex","0");
    title.setAttribute("aria-pressed","false");
    title.addEventListener("keydown",event=>{
      if(event.key!=="Enter"&&event.key!==" ")return;
      event.preventDefault();
      pin(tripOf(title));
    });
  }
  day.addEventListener("pointerover",event=>{
    if(event.pointerType!=="touch")show(tripOf(event.target)??pinned);
  });
  day.addEventListener("pointerleave",()=>show(pinned));
  day.addEventListener("focusin",event=>show(tripOf(event.target)??pinned));
  day.addEventListener("focusout",()=>show(pinned));
  day.addEventListener("pointerdown",()=>{delete day.dataset.dragged},true);
  day.addEventListener("click",event=>{
    const trip=tripOf(event.target);
    if(trip===null||event.target.closest("summary")||day.dataset.dragged)return;
    pin(trip);
    if(!event.target.closest(".story"))
      titles.find(title=>tripOf(title)===pinned)?.scrollIntoView({block:"nearest"});
  });
  day.addEventListener("keydown",event=>{
    if(event.key==="Escape"&&pinned!==null)pin(pinned);
  });
  lights.set(day,paint);
}
const seeks=new Map(),spots=new Map();
for(const day of all("[data-from]")){
  const span=Number(day.dataset.span),figures=all("figure.time",day);
  const zones=(day.dataset.z??"").split(" ").filter(Boolean)
    .map(zone=>zone.split(":").map(Number));
  const entries=all(".story>li",day).map(entry=>({entry,
    from:Number(entry.dataset.a),to:Number(entry.dataset.b)}));
  const two=number=>String(number).padStart(2,"0");
  const clock=t=>{
    const zone=zones.findLast(([from])=>from<=t)?.[1];
    const start=zone===undefined?0:Number(day.dataset.from)+zone;
    const second=zone===undefined?Math.floor(t):((Math.floor(start+t)%86400)+86400)%86400;
    const hour=Math.floor(second/3600),rest=":"+two(Math.floor(second/60)%60)
      +(span<600?":"+two(second%60):"");
    if(zone===undefined)return hour+rest;
    if(!day.dataset.hours)return two(hour)+rest;
    return(hour+11)%12+1+rest+(hour<12?" AM":" PM");
  };
  const reading=(svg,t)=>{
    if(svg.dataset.v===undefined)return clock(t);
    const values=svg.values??=svg.dataset.v.split(",");
    const value=values[Math.min(Math.floor(t/span*values.length),values.length-1)];
    if(!svg.dataset.n)return value===""?"":value+" "+svg.dataset.u;
    if(value==="")return"";
    return value==="x"?"not named"
      :svg.dataset.n.split(" ")[Number(value[0])]+" "+value.slice(1)+" %";
  };
  const draw=(svg,t)=>{
    const [width,height]=svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
    const x=t/span*width,isLeft=x>width*.7;
    const line=svg.querySelector(".cursor")??add(svg,"path",{class:"cursor"});
    const label=svg.querySelector(".reading")??add(svg,"text",{class:"reading halo"});
    line.setAttribute("d",`M${x.toFixed(1)} 0V${height-20}`);
    label.setAttribute("x",(isLeft?x-5:x+5).toFixed(1));
    label.setAttribute("y",svg.dataset.v===undefined?9:12);
    label.setAttribute("text-anchor",isLeft?"end":"start");
    label.textContent=reading(svg,t);
    return label.textContent;
  };
  const sliders=[];
  const seek=t=>{
    t=Math.min(Math.max(t,0),span);
    const found=entries.find(({from,to})=>from<=t&&t<to)??entries.at(-1);
    for(const {entry} of entries)entry.classList.toggle("now",entry===found?.entry);
    const texts=figures.map(figure=>{
      const drawn=all("svg",figure).map(svg=>draw(svg,t));
      return drawn[0];
    });
    texts.splice(1,0,found?.entry.querySelector(".title").textContent);
    for(const slider of sliders){
      slider.value=t;
      slider.setAttribute("aria-valuetext",texts.filter(Boolean).join(", "));
    }
    const place=placeAt(day,t,found?.entry);
    for(const spot of spots.get(day)??[])spot(place);
  };
  seeks.set(day,seek);
  for(const figure of figures){
    figure.addEventListener("pointermove",event=>{
      if(event.pointerType==="touch"&&!event.buttons)return;
      const svg=event.target.closest("svg");
      if(!svg)return;
      const frame=svg.getBoundingClientRect();
      seek((event.clientX-frame.left)/frame.width*span);
    });
    figure.addEventListener("pointerdown",event=>{
      const frame=event.target.closest("svg")?.getBoundingClientRect();
      if(frame)seek((event.clientX-frame.left)/frame.width*span);
    });
  }
  for(const figure of figures.slice(0,2)){
    const slider=document.createElement("input");
    slider.type="range";
    slider.className="seek";
    slider.min=0;
    slider.max=span;
    slider.step=Math.max(Math.round(span/880),1);
    slider.value=0;
    slider.setAttribute("aria-label","Time at the cursor");
    slider.addEventListener("input",()=>seek(Number(slider.value)));
    if(figure===figures[0])figure.after(slider);else figure.before(slider);
    sliders.push(slider);
  }
}
function courses(day){
  if(day.courses)return day.courses;
  const [latitude,longitude,unit]=(all(".defs",day)[0]?.dataset.p??"").split(" ").map(Number);
  const radian=Math.PI/180,metres=6378137*Math.cos(latitude*radian);
  const northing=degrees=>Math.log(Math.tan(Math.PI/4+degrees*radian/2));
  day.courses=all("path.geo[data-c]",day).map(path=>{
    const size=path.dataset.h?4:3,sums=[0,0,0,0],points=[];
    for(const part of path.dataset.c.split(";")){
      const numbers=part.split(" ").map(Number);
      for(let i=0;i<numbers.length;i+=size){
        for(let j=0;j<size;j++)sums[j]+=numbers[i+j];
        const [north,east]=[sums[1]/1e6,sums[2]/1e6];
        const away=((east-longitude+540)%360+360)%360-180;
        points.push({t:sums[0],north,east,height:size>3?sums[3]:null,isFirst:i===0,
          x:away*radian*metres/unit,y:(northing(latitude)-northing(north))*metres/unit});
      }
    }
    return{trip:path.dataset.t,mode:path.dataset.m??path.dataset.s,points};
  });
  return day.courses;
}
function placeAt(day,t,entry){
  if(entry?.dataset.t===undefined){
    const letter=entry?.querySelector("b")?.textContent;
    const site=all(".defs circle",day).find(circle=>circle.dataset.l===letter);
    return site?{x:Number(site.getAttribute("cx")),y:Number(site.getAttribute("cy"))}:null;
  }
  let last=null;
  for(const {trip,points} of courses(day))if(trip===entry.dataset.t)for(const next of points){
    if(next.t>=t){
      if(!last)return next;
      const part=next.t>last.t?(t-last.t)/(next.t-last.t):1;
      return{x:last.x+(next.x-last.x)*part,y:last.y+(next.y-last.y)*part};
    }
    last=next;
  }
  return last;
}
function gpx(day){
  const plain=text=>text.replace(/[&<>"]/g,sign=>`&#${sign.charCodeAt(0)};`);
  const time=t=>day.dataset.z===undefined?""
    :`<time>${new Date((Number(day.dataset.from)+t)*1000).toISOString()}</time>`;
  const sites=all(".defs circle",day).map(circle=>{
    const [north,east]=circle.dataset.g.split(" ");
    return`<wpt lat="${north}" lon="${east}"><name>${plain(circle.dataset.l)}</name></wpt>\n`;
  });
  const legs=courses(day).map(({trip,mode,points})=>{
    const name=mode==="unnamed"?"mode unknown":mode;
    const rows=points.map((point,index)=>(index>0&&point.isFirst?"</trkseg><trkseg>\n":"")
      +`<trkpt lat="${point.north.toFixed(6)}" lon="${point.east.toFixed(6)}">`
      +(point.height===null?"":`<ele>${point.height}</ele>`)+time(point.t)+"</trkpt>\n");
    return`<trk><name>Trip ${trip}, ${name}</name><type>${name}</type><trkseg>\n`
      +rows.join("")+"</trkseg></trk>\n";
  });
  return`<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="locomotion" `
    +`xmlns="http://www.topografix.com/GPX/1/1">\n${sites.join("")}${legs.join("")}</gpx>\n`;
}
function save(day){
  const link=document.createElement("a");
  link.href=URL.createObjectURL(new Blob([gpx(day)],{type:"application/gpx+xml"}));
  link.download=(day.dataset.day||document.title).replace(/[^\p{L}\p{N}]+/gu,"-")+".gpx";
  link.click();
  setTimeout(()=>URL.revokeObjectURL(link.href),1e4);
}
const resets=[];
for(const plan of all("svg.plan")){
  const fold=plan.closest("details.day:not([open])");
  if(fold)fold.addEventListener("toggle",()=>start(plan),{once:true});
  else start(plan);
}
function start(svg){
  const day=svg.closest("[data-day]"),box=svg.parentElement;
  const [width,height]=svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  const [scale,left,top]=svg.dataset.m.split(" ").map(Number),unit=Number(svg.dataset.u);
  const [moved,pins]=[".moved",".pins"].map(name=>svg.querySelector(name));
  const most=Math.max(4,4*unit/scale);
  const legs=all("path.geo",day).map(path=>({
    path,trip:path.dataset.t,style:path.dataset.s,length:path.getTotalLength(),
    ends:path.dataset.e?.split(" ").map(Number)}));
  const sites=all(".defs circle",day).map(circle=>({
    letter:circle.dataset.l,tip:circle.dataset.n,
    x:Number(circle.getAttribute("cx")),y:Number(circle.getAttribute("cy"))}));
  const frames=all(".inset",pins).map(frame=>["x","y","width","height"]
    .map(name=>Number(frame.getAttribute(name))));
  let k=1,x=0,y=0,waits=false;
  const tools=document.createElement("div");
  tools.className="tools";
  for(const [text,label,act] of [
    ["+","Zoom in",()=>zoom(1.6,width/2,height/2)],
    ["−","Zoom out",()=>zoom(1/1.6,width/2,height/2)],
    ["⤢","Show everything",()=>reset()]]){
    const button=document.createElement("button");
    button.type="button";
    button.textContent=text;
    button.setAttribute("aria-label",label);
    button.addEventListener("click",act);
    tools.append(button);
  }
  if(day&&!svg.closest(".insets")&&courses(day).length){
    const button=document.createElement("button");
    button.type="button";
    button.className="save";
    button.textContent="GPX";
    button.setAttribute("aria-label","Save the trips as GPX");
    button.addEventListener("click",()=>save(day));
    tools.prepend(button);
  }
  box.append(tools);
  box.classList.add("live");
  box.tabIndex=0;
  box.setAttribute("role","group");
  box.setAttribute("aria-label",svg.querySelector("title").textContent
    +"; arrow keys move it, plus and minus zoom, 0 shows everything");
  function update(){
    k=Math.min(Math.max(k,1),most);
    x=Math.min(Math.max(x,width*(1-k)),0);
    y=Math.min(Math.max(y,height*(1-k)),0);
    moved.setAttribute("transform",`translate(${x} ${y}) scale(${k})`);
    box.classList.toggle("zoomed",k>1);
    if(waits)return;
    waits=true;
    requestAnimationFrame(()=>{waits=false;draw()});
  }
  function zoom(factor,toX,toY){
    const next=Math.min(Math.max(k*factor,1),most);
    x=toX-(toX-x)*next/k;
    y=toY-(toY-y)*next/k;
    k=next;
    update();
  }
  function move(byX,byY){x+=byX;y+=byY;update()}
  function reset(){k=1;x=0;y=0;update()}
  resets.push(()=>{const kept=[k,x,y];reset();draw();return()=>{[k,x,y]=kept;update()}});
  const at=point=>({x:(point.x*scale+left)*k+x,y:(point.y*scale+top)*k+y});
  const on=(leg,length)=>at(leg.path.getPointAtLength(length));
  const dot=add(svg,"circle",{class:"spot",r:6,visibility:"hidden"});
  let spot=null;
  const mark=()=>{
    const point=spot&&at(spot),isSeen=point&&inside(point);
    dot.setAttribute("visibility",isSeen?"visible":"hidden");
    if(isSeen){dot.setAttribute("cx",point.x);dot.setAttribute("cy",point.y)}
  };
  if(day){
    spots.set(day,[...spots.get(day)??[],place=>{spot=place;mark()}]);
    svg.addEventListener("pointermove",event=>{
      if(event.buttons)return;
      const here=local(event);
      let least=14,found=null;
      for(const {points} of courses(day))for(let i=1;i<points.length;i++){
        const from=at(points[i-1]),to=at(points[i]),over=to.x-from.x,down=to.y-from.y;
        const along=(here.x-from.x)*over+(here.y-from.y)*down,all=over*over+down*down;
        const part=all>0?Math.min(Math.max(along/all,0),1):0;
        const far=Math.hypot(from.x+part*over-here.x,from.y+part*down-here.y);
        if(far>=least)continue;
        least=far;
        found=points[i-1].t+(points[i].t-points[i-1].t)*part;
      }
      if(found!==null)seeks.get(day)?.(found);
    });
  }
  const inside=(point,edge=0)=>point.x>=edge&&point.y>=edge&&point.x<=width-edge
    &&point.y<=height-edge;
  function draw(){
    pins.replaceChildren();
    const labels=[],put=point=>`translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})`;
    for(const [a,b,w,h] of frames)
      add(pins,"rect",{class:"inset",x:a*k+x,y:b*k+y,width:w*k,height:h*k,rx:4});
    legs.forEach((leg,index)=>ways(leg,index,put));
    for(const pill of markers()){
      if(!inside(pill))continue;
      const half=5.5+5.5*pill.letters.length;
      pill.x=Math.min(Math.max(pill.x,half+4),width-half-4);
      labels.push({x:pill.x,y:pill.y,w:half,h:11});
      const group=add(pins,"g",{class:"pill",transform:put(pill)});
      add(group,"title",{},pill.tip);
      add(group,"rect",{class:"place",x:-half,y:-11,width:2*half,height:22,rx:11});
      add(group,"text",{class:"mark",y:4.3,"text-anchor":"middle"},pill.letters);
    }
    numbers(labels,put);
    ruler();
    tiles();
    mark();
    lights.get(day)?.();
  }
  function ways(leg,index,put){
    const total=leg.length*scale*k,far=3/(scale*k);
    const count=total>26?Math.min(Math.max(Math.round(total/72),1),60):0;
    for(let i=0;i<count;i++){
      const length=leg.length*(i+.5)/count,point=on(leg,length);
      if(!inside(point))continue;
      const [a,b]=[on(leg,length-far),on(leg,length+far)];
      const turn=Math.atan2(b.y-a.y,b.x-a.x)*180/Math.PI;
      add(pins,"path",{class:"arrow f-"+leg.style,"data-t":leg.trip,d:"M-4-4.5L5 0L-4 4.5Z",
        transform:`${put(point)} rotate(${turn.toFixed(1)})`});
    }
    for(const [style,length,other,first] of [["from",0,legs[index-1],0],
      ["to",leg.length,legs[index+1],2]]){
      const ends=leg.ends,point=ends?at({x:ends[first],y:ends[first+1]}):on(leg,length);
      if(other?.trip!==leg.trip&&inside(point))add(pins,"circle",{
        class:`end ${style} s-${leg.style}`,"data-t":leg.trip,cx:point.x,cy:point.y,r:3.6});
    }
  }
  function markers(){
    const pills=[];
    for(const site of sites){
      const point=at(site);
      const near=pills.find(pill=>Math.hypot(pill.x-point.x,pill.y-point.y)<24);
      if(near){near.letters+=" "+site.letter;near.tip+="; "+site.tip}
      else pills.push({...point,letters:site.letter,tip:site.tip});
    }
    return pills;
  }
  function numbers(labels,put){
    const longest=new Map();
    for(const leg of legs)
      if(!(longest.get(leg.trip)?.length>=leg.length))longest.set(leg.trip,leg);
    for(const [trip,leg] of longest){
      if(leg.length*scale*k<12)continue;
      const half=4.5+4*trip.length;
      for(const part of [.5,.42,.58,.35,.65,.27,.73,.2,.8,.12,.88]){
        const point=on(leg,leg.length*part),label={...point,w:half+1,h:9.5};
        if(!inside(point,11)||labels.some(other=>Math.abs(other.x-label.x)<other.w+label.w
          &&Math.abs(other.y-label.y)<other.h+label.h))continue;
        labels.push(label);
        const group=add(pins,"g",{class:"number","data-t":trip,transform:put(point)});
        add(group,"rect",{class:"s-"+leg.style,x:-half,y:-8.5,width:2*half,height:17,rx:8.5});
        add(group,"text",{y:4,"text-anchor":"middle"},trip);
        break;
      }
    }
  }
  function ruler(){
    const metre=scale/unit*k,limit=width/4.5/metre;
    const [near,nearName,far,farName]=svg.dataset.l.split(" ");
    const isFar=limit>=Number(far),base=Number(isFar?far:near),most=limit/base;
    const power=10**Math.max(Math.floor(Math.log10(most)),0);
    const length=power*(most>=5*power?5:most>=2*power?2:1),step=length*base*metre;
    svg.querySelector(".scale").setAttribute("d",
      `M16 ${height-21}v5h${step.toFixed(1)}v-5`);
    svg.querySelector(".length").textContent=length+" "+(isFar?farName:nearName);
    let lines="";
    for(let a=((x%step)+step)%step;a<width;a+=step)lines+=`M${a.toFixed(1)} 0V${height}`;
    for(let b=((y%step)+step)%step;b<height;b+=step)lines+=`M0 ${b.toFixed(1)}H${width}`;
    svg.querySelector(".grid")?.setAttribute("d",lines);
  }
  function tiles(){
    const layer=svg.querySelector(".tiles");
    if(!layer)return;
    const [fromX,fromY,step]=svg.dataset.w.split(" ").map(Number);
    const depth=Math.min(Math.max(Math.round(Math.log2(k/(256*step))),0),19),count=2**depth;
    const side=k/(count*step),wanted=new Map();
    for(let b=Math.max(Math.floor((fromY-y/k*step)*count),0);b<count;b++){
      const down=(b/count-fromY)/step*k+y;
      if(down>height)break;
      for(let a=Math.floor((fromX-x/k*step)*count);;a++){
        const over=(a/count-fromX)/step*k+x;
        if(over>width)break;
        wanted.set(svg.dataset.tiles.replaceAll("{z}",depth).replaceAll("{y}",b)
          .replaceAll("{x}",(a%count+count)%count),[over,down]);
      }
    }
    for(const image of [...layer.children]){
      const address=image.getAttribute("href");
      if(wanted.has(address))place(image,wanted.get(address)),wanted.delete(address);
      else image.remove();
    }
    for(const [href,point] of wanted)place(add(layer,"image",{href}),point);
    function place(image,[over,down]){
      for(const [name,value] of [["x",over],["y",down],["width",side],["height",side]])
        image.setAttribute(name,value.toFixed(2));
    }
  }
  const fingers=new Map();
  const local=event=>{
    const frame=svg.getBoundingClientRect();
    return{x:(event.clientX-frame.left)*width/frame.width,
      y:(event.clientY-frame.top)*height/frame.height};
  };
  const ended=event=>{fingers.delete(event.pointerId)};
  svg.addEventListener("pointerdown",event=>{
    if(event.pointerType==="mouse"&&event.button!==0)return;
    fingers.set(event.pointerId,local(event));
  });
  svg.addEventListener("pointermove",event=>{
    const last=fingers.get(event.pointerId);
    if(!last)return;
    const next=local(event);
    if(fingers.size===2){
      const [id]=[...fingers.keys()].filter(id=>id!==event.pointerId),still=fingers.get(id);
      const span=point=>Math.hypot(point.x-still.x,point.y-still.y);
      zoom(span(next)/Math.max(span(last),1),(next.x+still.x)/2,(next.y+still.y)/2);
      move((next.x-last.x)/2,(next.y-last.y)/2);
    }else if(k>1&&(svg.hasPointerCapture(event.pointerId)
      ||Math.hypot(next.x-last.x,next.y-last.y)>4)){
      svg.setPointerCapture(event.pointerId);
      move(next.x-last.x,next.y-last.y);
    }else return;
    if(day)day.dataset.dragged="1";
    fingers.set(event.pointerId,next);
  });
  for(const name of ["pointerup","pointercancel","pointerleave"])
    svg.addEventListener(name,ended);
  svg.addEventListener("dblclick",event=>{
    const point=local(event);
    zoom(event.shiftKey?.5:2,point.x,point.y);
  });
  svg.addEventListener("wheel",event=>{
    const isAsked=event.ctrlKey||event.metaKey||box.contains(document.activeElement);
    if(!isAsked||k===1&&event.deltaY>0)return;
    event.preventDefault();
    const point=local(event),pixels=event.deltaY*(event.deltaMode===1?16:1);
    zoom(Math.exp(-Math.min(Math.max(pixels,-200),200)*.004),point.x,point.y);
  },{passive:false});
  box.addEventListener("keydown",event=>{
    if(event.ctrlKey||event.metaKey||event.altKey)return;
    const step=60,moves={ArrowLeft:[step,0],ArrowRight:[-step,0],ArrowUp:[0,step],
      ArrowDown:[0,-step]}[event.key];
    if(moves&&k>1)move(...moves);
    else if(event.key==="+"||event.key==="=")zoom(1.6,width/2,height/2);
    else if(event.key==="-")zoom(1/1.6,width/2,height/2);
    else if(event.key==="0"||event.key==="Home")reset();
    else return;
    event.preventDefault();
  });
}
const unfold=()=>{
  const fold=document.getElementById(location.hash.slice(1))?.closest("details");
  if(!fold)return;
  fold.open=true;
  fold.scrollIntoView();
};
addEventListener("hashchange",unfold);
unfold();
let restores=[];
addEventListener("beforeprint",()=>{
  restores=resets.map(reset=>reset());
  for(const details of all("details:not([open]):not(.day)")){
    details.open=true;
    restores.push(()=>{details.open=false});
  }
});
addEventListener("afterprint",()=>{
  for(const restore of restores)restore();
  restores=[];
});
})();
