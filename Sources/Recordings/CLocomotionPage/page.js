(()=>{"use strict";
const all=(selector,within=document)=>[...within.querySelectorAll(selector)];
const sample=document.createElement("template");
sample.innerHTML="<svg></svg>";
const namespace=sample.content.firstChild.namespaceURI;
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
const seeks=new Map(),spots=new Map(),resets=[];
const steps=[1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,10800,21600,43200,86400];
for(const day of all("[data-from]"))watch(day);
function watch(day){
  const base=Number(day.dataset.from),span=Number(day.dataset.span);
  const zones=(day.dataset.z??"").split(" ").filter(Boolean)
    .map(zone=>zone.split(":").map(Number));
  const offset=t=>zones.findLast(([from])=>from<=t)?.[1]??zones[0]?.[1];
  const entries=all(".story>li",day).map(entry=>({entry,trip:entry.dataset.t,
    from:Number(entry.dataset.a),to:Number(entry.dataset.b)}));
  const charts=all("figure.time",day).map(figure=>chart(figure));
  const view={from:0,to:span};
  const two=number=>String(number).padStart(2,"0");
  const clock=(t,isFine=span<600)=>{
    const zone=offset(t),start=zone===undefined?0:base+zone;
    const second=zone===undefined?Math.floor(t):((Math.floor(start+t)%86400)+86400)%86400;
    const hour=Math.floor(second/3600);
    const rest=":"+two(Math.floor(second/60)%60)+(isFine?":"+two(second%60):"");
    if(zone===undefined)return hour+rest;
    if(!day.dataset.hours)return two(hour)+rest;
    return(hour+11)%12+1+rest+(hour<12?" AM":" PM");
  };
  const ticks=(from,to,width)=>{
    const least=76/width*(to-from);
    const step=steps.find(step=>step>=least)??Math.ceil(least/86400)*86400,found=[];
    const list=(shown,zone)=>{
      for(let t=Math.ceil((shown+from)/step-1e-9)*step-shown;t<=to+1e-6;t+=step)
        if(zone===undefined||offset(t)===zone)found.push({t,label:clock(t,step<60||span<600)});
    };
    // What lies on both sides of a change of the clocks has two offsets.
    if(zones.length)for(const zone of new Set([offset(from),offset(to)]))list(base+zone,zone);
    else list(0);
    return found;
  };
  function chart(figure){
    const pieces=all("i",figure).map(piece=>({style:piece.dataset.s,letter:piece.dataset.l,
      trip:piece.dataset.t,tip:piece.title,isCorrected:piece.dataset.c!==undefined,
      from:Number(piece.dataset.a),to:Number(piece.dataset.b),
      silences:(piece.dataset.q??"").split(" ").filter(Boolean)
        .map(range=>range.split(":").map(Number))}));
    const {v,w,u:unit,n,least,dots,x:way}=figure.dataset;
    return{way:way?.split(",").map(Number),figure,pieces,unit,least:Number(least),isDotted:dots!==undefined,
      isStrip:v===undefined,names:n?.split(" "),cells:v?.split(","),
      spread:w?.split(",").map(Number)};
  }
  const number=cell=>cell===""||cell===undefined?null:Number(cell);
  const reading=(chart,t)=>{
    if(chart.isStrip)return clock(t);
    const cell=chart.cells[Math.min(Math.floor(t/span*chart.cells.length),chart.cells.length-1)];
    if(!chart.names)return cell===""?"":cell+" "+chart.unit;
    if(cell==="")return"";
    return cell==="x"?"not named":chart.names[Number(cell[0])]+" "+cell.slice(1)+" %";
  };
  function paint(chart){
    const width=Math.round(chart.figure.clientWidth);
    if(!width)return;
    const {from,to}=chart.isStrip?{from:0,to:span}:view;
    const height=chart.isStrip?66:chart.way?150:chart.names?96:92;
    const total=height+(chart.isStrip?20:24);
    chart.width=width;
    chart.x=t=>(t-from)/(to-from)*width;
    chart.t=x=>from+x/width*(to-from);
    if(chart.way)overDistance(chart,from,to);
    const svg=document.createElementNS(namespace,"svg");
    svg.setAttribute("viewBox",`0 0 ${width} ${total}`);
    svg.setAttribute("role","img");
    add(svg,"title",{},chart.figure.dataset.title);
    add(svg,"desc",{},chart.figure.dataset.desc);
    for(const {t,label} of chart.way?milestones(chart):ticks(from,to,width)){
      const x=chart.x(t).toFixed(1);
      add(svg,"path",{class:"hair",d:`M${x} ${chart.isStrip?12:0}V${height}`});
      add(svg,"text",{class:"label",x,y:height+16,
        "text-anchor":x<16?"start":x>width-16?"end":"middle"},label);
    }
    if(chart.isStrip)strip(chart,svg);
    else if(chart.names)answers(chart,svg,height);
    else curve(chart,svg,height);
    if(!chart.isStrip)for(const {trip,from,to} of entries)if(trip)box(chart,svg,from,to,
      {class:"band","data-t":trip,y:0,height},2);
    // Above the bands, so that their tips are found.
    for(const piece of chart.pieces)if(piece.isCorrected)
      add(add(svg,"path",{class:"corrected",d:`M${chart.x(piece.from).toFixed(1)} `
        +`${chart.isStrip?15:2}H${Math.max(chart.x(piece.to),chart.x(piece.from)+2).toFixed(1)}`}),
        "title",{},piece.tip);
    chart.figure.replaceChildren(svg);
    chart.svg=svg;
  }
  // Gives a chart the way for its axis.
  function overDistance(chart,from,to){
    const {way,width}=chart,cell=span/way.length;
    const metres=t=>{
      const i=Math.min(Math.max(t/cell,0),way.length),index=Math.floor(i),last=way[index-1]??0;
      return last+((way[index]??last)-last)*(i-index);
    };
    const first=metres(from),length=Math.max(metres(to)-first,1);
    chart.metres=metres;
    chart.x=t=>(metres(t)-first)/length*width;
    chart.t=x=>{
      const wanted=first+x/width*length;
      let index=way.findIndex(sum=>sum>=wanted);
      if(index<0)index=way.length-1;
      const last=way[index-1]??0,step=way[index]-last;
      const t=(index+(step>0?Math.min(Math.max((wanted-last)/step,0),1):0))*cell;
      return Math.min(Math.max(t,from),to);
    };
    chart.first=first;
    chart.length=length;
  }
  function milestones({figure,width,first,length,t}){
    const unit=Number(figure.dataset.k),least=76/width*length/unit,found=[];
    const power=10**Math.floor(Math.log10(least));
    const step=Math.max([1,2,5,10].find(factor=>factor*power>=least)*power,.01);
    for(let at=Math.ceil(first/unit/step-1e-9)*step;at*unit<=first+length+.5;at+=step)
      found.push({t:t((at*unit-first)/length*width),
        label:Number(at.toFixed(2))+" "+figure.dataset.kn});
    return found;
  }
  // The area below a profile by how steep the way is, and its highest and lowest points.
  function slopes(chart,svg,values,height,y,middle){
    const cell=span/values.length,at=i=>chart.metres((i+.5)*cell);
    const steep=i=>{
      let [a,b]=[i,i];
      while(a>0&&at(i)-at(a)<60&&values[a-1]!==null)a--;
      while(b<values.length-1&&at(b)-at(i)<60&&values[b+1]!==null)b++;
      const run=at(b)-at(a),slope=run>20?(values[b]-values[a])*chart.scale/run:0;
      const size=[.03,.07,.12].filter(limit=>Math.abs(slope)>=limit).length;
      return size?(slope>0?"up":"down")+size:"level";
    };
    let run=[];
    const close=()=>{
      if(run.length>1)add(svg,"path",{class:run.style,
        d:`M${middle(run[0])} ${height}L`+run.map(i=>`${middle(i)} ${y(values[i])}`).join("L")
          +`L${middle(run.at(-1))} ${height}Z`});
    };
    values.forEach((value,i)=>{
      const style=value===null?null:steep(i),last=run.at(-1);
      if(style!==run.style||last!==i-1){
        if(style&&last===i-1)run.push(i);
        close();
        run=[];
        run.style=style;
      }
      if(style)run.push(i);
    });
    close();
    const known=values.flatMap((value,i)=>
      value===null||chart.x((i+.5)*cell)<0||chart.x((i+.5)*cell)>chart.width?[]:[[value,i]]);
    const highest=known.reduce((a,b)=>b[0]>a[0]?b:a,known[0]);
    const lowest=known.reduce((a,b)=>b[0]<a[0]?b:a,known[0]);
    for(const point of new Set([highest,lowest].filter(Boolean))){
      const [value,i]=point,x=Number(middle(i)),level=Number(y(value));
      add(svg,"circle",{class:"summit",cx:x,cy:level,r:3});
      add(svg,"text",{class:"halo summit",x,
        y:point===lowest&&level+16<height?level+16:level-7,
        "text-anchor":x<40?"start":x>chart.width-40?"end":"middle"},
        Math.round(value).toLocaleString("en-US")+" "+chart.unit);
    }
  }
  function box(chart,parent,from,to,attributes,least){
    const x=Math.max(chart.x(from),0),end=Math.min(chart.x(to),chart.width);
    if(end<0||x>chart.width)return null;
    return add(parent,"rect",{...attributes,x:x.toFixed(1),
      width:Math.max(end-x,least).toFixed(1)});
  }
  function hatch(parent,x,y,width,height){
    let lines="";
    for(let left=x-height;left<x+width;left+=8){
      const from=Math.max(left,x),to=Math.min(left+height,x+width);
      lines+=`M${from.toFixed(1)} ${(y+height-from+left).toFixed(1)}`
        +`L${to.toFixed(1)} ${(y+height-to+left).toFixed(1)}`;
    }
    add(parent,"path",{class:"hatch",d:lines});
  }
  function strip(chart,svg){
    for(const piece of chart.pieces){
      const x=chart.x(piece.from),length=Math.max(chart.x(piece.to)-x-1,.6);
      const isUnknown=piece.style==="f-unnamed";
      const rect=add(svg,"rect",{class:isUnknown?"unnamed":piece.style,x:x.toFixed(1),y:18,
        width:length.toFixed(1),height:40,...piece.trip&&{"data-t":piece.trip}});
      add(rect,"title",{},piece.tip);
      if(isUnknown||piece.style==="gap")hatch(svg,x,18,length,40);
      for(const [from,to] of piece.silences)box(chart,svg,from,to,
        {class:"silent",y:18,height:40},0);
      if(piece.letter&&length>18)add(svg,"text",{class:"letter",x:(x+length/2).toFixed(1),y:43,
        "text-anchor":"middle"},piece.letter);
    }
    let end=-1e9;
    for(const {trip,from,to} of entries){
      if(!trip)continue;
      const half=3.5*trip.length,middle=(chart.x(from)+chart.x(to))/2;
      const x=Math.min(Math.max(middle,half),chart.width-half);
      if(x-half<=end+3)continue;
      end=x+half;
      add(svg,"text",{class:"trip","data-t":trip,x:x.toFixed(1),y:10,"text-anchor":"middle"},trip);
    }
    if(view.to-view.from<span)box(chart,svg,view.from,view.to,{class:"window",y:15,height:46},3);
  }
  // The cells that are seen, each with its ends, and where `key` is the same as one range.
  function ranges(chart,key){
    const count=chart.cells.length,found=[];
    const first=Math.max(Math.floor(chart.t(0)/span*count),0);
    const last=Math.min(Math.ceil(chart.t(chart.width)/span*count),count);
    for(let i=first;i<last;i++){
      const now=key(chart.cells[i]);
      if(now===null)continue;
      const range=found.at(-1);
      if(range?.key===now&&range.end===i)range.end=i+1;
      else found.push({key:now,start:i,end:i+1});
    }
    return found;
  }
  const edge=(chart,i)=>chart.x(i/chart.cells.length*span).toFixed(1);
  function answers(chart,svg,height){
    for(const {key,start,end} of ranges(chart,cell=>cell===""?null:cell[0])){
      if(key==="x"){
        const x=chart.x(start/chart.cells.length*span);
        hatch(svg,x,4,chart.x(end/chart.cells.length*span)-x,height-4);
        continue;
      }
      let d=`M${edge(chart,start)} ${height}`;
      for(let i=start;i<end;i++)
        d+=`V${(height-Number(chart.cells[i].slice(1))/100*(height-4)).toFixed(1)}`
          +`H${edge(chart,i+1)}`;
      add(svg,"path",{class:"f-"+chart.names[Number(key)],d:d+`V${height}Z`});
    }
    for(const part of [0,.5,1])add(svg,"path",{class:part?"hair over":"base",
      d:`M0 ${height-part*(height-4)}H${chart.width}`});
  }
  const round=value=>{
    const power=10**Math.floor(Math.log10(value));
    return power*[1,1.2,1.6,2,3,4,6,8,10].find(factor=>factor*power>=value*(1-1e-9));
  };
  function curve(chart,svg,height){
    const reach=height-18,values=chart.cells.map(number),count=values.length;
    const known=values.filter(value=>value!==null);
    let bottom=0,top=round(Math.max(chart.least,...known));
    if(chart.spread){
      const [low,high]=[-1,1].map(sign=>Math[sign<0?"min":"max"](
        ...values.flatMap((value,i)=>value===null?[]:[value+sign*chart.spread[i]])));
      let half=round(Math.max((high-low)/2,10));
      const floor=()=>Math.floor(low/half*2)*half/2;
      while(floor()+2*half<high)half=round(half*1.01);
      [bottom,top]=[floor(),floor()+2*half];
    }
    const y=value=>(height-(value-bottom)/(top-bottom)*reach).toFixed(1);
    for(const part of [0,.5,1])add(svg,"path",{
      class:part||chart.spread?"hair":"base",d:`M0 ${height-part*reach}H${chart.width}`});
    const middle=i=>chart.x((i+.5)/count*span).toFixed(1);
    if(chart.way){
      chart.scale=chart.unit==="m"?1:.3048;
      slopes(chart,svg,values,height,y,middle);
    }
    let dots="";
    for(const {start,end} of ranges(chart,cell=>cell===""?null:1)){
      const at=(i,value)=>`${middle(i)} ${y(value)}`,indices=[];
      for(let i=start;i<end;i++)indices.push(i);
      const line="M"+indices.map(i=>at(i,values[i])).join("L");
      if(chart.isDotted){
        dots+=indices.map(i=>`M${at(i,values[i])}h0`).join("");
        continue;
      }
      if(chart.way){
        add(svg,"path",{class:"curve",d:line});
        continue;
      }
      const around=chart.spread
        ?"M"+indices.map(i=>at(i,values[i]+chart.spread[i])).join("L")
          +"L"+indices.reverse().map(i=>at(i,values[i]-chart.spread[i])).join("L")+"Z"
        :line+`L${middle(end-1)} ${height}L${middle(start)} ${height}Z`;
      add(svg,"path",{class:chart.spread?"spread":"below",d:around});
      add(svg,"path",{class:"curve",d:line});
    }
    if(dots)add(svg,"path",{class:"dots",d:dots});
    for(const part of chart.spread?[0,.5,1]:[.5,1])add(svg,"text",{class:"halo",x:0,
      y:height-part*reach-4},
      Math.round(bottom+(top-bottom)*part).toLocaleString("en-US")
        +(part===1?" "+chart.unit:""));
  }
  function mark(chart,t){
    const {svg,width}=chart;
    if(!svg)return reading(chart,t);
    const x=chart.x(t),isLeft=x>width*.7,height=svg.viewBox.baseVal.height;
    const line=svg.querySelector(".cursor")??add(svg,"path",{class:"cursor"});
    const label=svg.querySelector(".reading")??add(svg,"text",{class:"reading halo"});
    line.setAttribute("d",`M${x.toFixed(1)} 0V${height-20}`);
    label.setAttribute("x",(isLeft?x-5:x+5).toFixed(1));
    label.setAttribute("y",chart.isStrip?9:12);
    label.setAttribute("text-anchor",isLeft?"end":"start");
    label.textContent=reading(chart,t);
    return label.textContent;
  }
  const sliders=[];
  let now=null;
  const seek=t=>{
    now=t=Math.min(Math.max(t,0),span);
    if(t<view.from||t>view.to)zoom(1);
    const found=entries.find(({from,to})=>from<=t&&t<to)??entries.at(-1);
    for(const {entry} of entries)entry.classList.toggle("now",entry===found?.entry);
    const texts=charts.map(chart=>mark(chart,t));
    texts.splice(1,0,found?.entry.querySelector(".title").textContent);
    for(const slider of sliders){
      slider.value=t;
      slider.setAttribute("aria-valuetext",texts.filter(Boolean).join(", "));
    }
    const place=placeAt(day,t,found?.entry);
    for(const spot of spots.get(day)??[])spot(place);
  };
  seeks.set(day,seek);
  // A part of the time, around the cursor, of a minute at least.
  function zoom(factor){
    const length=Math.min(Math.max((view.to-view.from)/factor,Math.min(60,span)),span);
    const middle=now??(view.from+view.to)/2;
    view.from=Math.min(Math.max(middle-length/2,0),span-length);
    view.to=view.from+length;
    redraw();
  }
  function redraw(){
    for(const chart of charts)paint(chart);
    if(now!==null)for(const chart of charts)mark(chart,now);
    lights.get(day)?.();
  }
  for(const chart of charts){
    const {figure}=chart;
    const at=event=>{
      const frame=chart.svg?.getBoundingClientRect();
      if(frame)seek(chart.t((event.clientX-frame.left)/frame.width*chart.width));
    };
    figure.addEventListener("pointermove",event=>{
      if(event.pointerType!=="touch"||event.buttons)at(event);
    });
    figure.addEventListener("pointerdown",at);
  }
  for(const {figure} of charts.slice(0,2)){
    const slider=document.createElement("input");
    slider.type="range";
    slider.className="seek";
    slider.min=0;
    slider.max=span;
    slider.step=Math.max(Math.round(span/880),1);
    slider.value=0;
    slider.setAttribute("aria-label","Time at the cursor");
    slider.addEventListener("input",()=>seek(Number(slider.value)));
    slider.addEventListener("keydown",event=>{
      const factor={"+":2,"-":.5,"0":0}[event.key];
      if(factor===undefined)return;
      event.preventDefault();
      zoom(factor||1e-9);
    });
    if(figure===charts[0].figure)figure.after(slider);else figure.before(slider);
    sliders.push(slider);
  }
  if(charts.length>1)sliders.at(-1).before(buttons([
    ["+","Zoom in to the time at the cursor",()=>zoom(2)],
    ["−","Zoom out in time",()=>zoom(.5)],["⤢","Show the whole time",()=>zoom(1e-9)]]));
  resets.push(()=>{
    const kept={...view};
    Object.assign(view,{from:0,to:span});
    redraw();
    return()=>{Object.assign(view,kept);redraw()};
  });
  // A drawing in a fold has no width before that is opened.
  day.addEventListener("toggle",redraw,true);
  let width=0;
  new ResizeObserver(()=>{
    if(day.clientWidth===width)return;
    width=day.clientWidth;
    requestAnimationFrame(redraw);
  }).observe(day);
  redraw();
}
function buttons(all){
  const tools=document.createElement("div");
  tools.className="tools";
  for(const [text,label,act] of all){
    const button=document.createElement("button");
    button.type="button";
    button.textContent=text;
    button.setAttribute("aria-label",label);
    button.addEventListener("click",act);
    tools.append(button);
  }
  return tools;
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
for(const box of all(".map[data-b]")){
  const fold=box.closest("details.day:not([open])");
  if(fold)fold.addEventListener("toggle",()=>start(box),{once:true});
  else start(box);
}
function start(box){
  const day=box.closest("[data-day]"),unit=Number(box.dataset.u);
  const [west,north,east,south]=box.dataset.b.split(" ").map(Number);
  const svg=add(box,"svg",{class:"plan",role:"img"});
  add(svg,"title",{},box.dataset.title);
  add(svg,"desc",{},box.dataset.desc);
  const ground=add(svg,"rect",{class:"ground",rx:10});
  const grid=add(svg,box.dataset.tiles?"g":"path",{class:box.dataset.tiles?"tiles":"grid"});
  const moved=add(svg,"g",{class:"moved"}),shapes=add(moved,"g",{});
  const pins=add(svg,"g",{class:"pins"}),dot=add(svg,"circle",{class:"spot",r:6});
  const bar=add(svg,"path",{class:"scale"});
  const length=add(svg,"text",{class:"halo ground-halo length",x:22});
  const compass=add(svg,"g",{});
  add(compass,"path",{class:"north",d:"M0 14L5 28L0 25L-5 28Z"});
  add(compass,"text",{class:"halo ground-halo",y:41,"text-anchor":"middle"},"N");
  const legs=all("path.geo",day).map(path=>({
    path,trip:path.dataset.t,style:path.dataset.s,tip:path.dataset.n,
    length:path.getTotalLength(),metres:Number(path.dataset.d??0),
    isLink:path.dataset.link!==undefined,ends:path.dataset.e?.split(" ").map(Number)}));
  const sites=all(".defs circle",day).map(circle=>({
    letter:circle.dataset.l,tip:circle.dataset.n,r:Number(circle.getAttribute("r")),
    x:Number(circle.getAttribute("cx")),y:Number(circle.getAttribute("cy"))}));
  const reaches=sites.map(({x,y,r})=>
    ({r,circle:add(shapes,"circle",{class:"reach",cx:x,cy:y,r})}));
  for(const leg of legs){
    const group=add(shapes,"g",{class:"leg","data-t":leg.trip});
    add(group,"title",{},leg.tip);
    const use=(id,classes)=>classes.forEach(name=>add(group,"use",{href:"#"+id,class:name}));
    const line=["casing","link s-"+leg.style];
    use(leg.path.id,leg.isLink?line:["casing","under s-"+leg.style,"track s-"+leg.style]);
    const aside=all("path.aside",day).find(path=>path.dataset.of===leg.path.id);
    if(aside)use(aside.id,line);
  }
  let k=1,x=0,y=0,waits=false,width=0,height=0,scale=1,left=0,top=0,most=4;
  const isLarge=()=>box.classList.contains("large");
  // Fits everything into the width that there is, and into the window where it is enlarged.
  function fit(){
    const wide=box.clientWidth;
    if(!wide)return;
    const margin=wide>480?40:30,ratio=(south-north)/(east-west);
    width=wide;
    height=isLarge()?innerHeight-90:Math.round(Math.min(Math.max(wide*ratio,wide*.6),wide*1.15,
      Math.max(innerHeight*.85,340)));
    scale=Math.min((width-2*margin)/Math.max(east-west,1e-6),
      (height-2*margin)/Math.max(south-north,1e-6));
    left=width/2-(west+east)/2*scale;
    top=height/2-(north+south)/2*scale;
    most=Math.max(4,4*unit/scale);
    svg.setAttribute("viewBox",`0 0 ${width} ${height}`);
    ground.setAttribute("width",width);
    ground.setAttribute("height",height);
    shapes.setAttribute("transform",`translate(${left} ${top}) scale(${scale})`);
    length.setAttribute("y",height-22);
    compass.setAttribute("transform",`translate(${width-22} 0)`);
    // A circle that the marker would cover is left out.
    for(const {r,circle} of reaches)
      circle.setAttribute("visibility",r*scale>14&&r*unit<1e6?"visible":"hidden");
    reset();
  }
  const tools=buttons([["+","Zoom in",()=>zoom(1.6,width/2,height/2)],
    ["−","Zoom out",()=>zoom(1/1.6,width/2,height/2)],["⤢","Show everything",()=>reset()],
    ["Large","Enlarge the map",()=>enlarge()]]);
  tools.lastChild.className="save";
  function enlarge(isAsked=!isLarge()){
    box.classList.toggle("large",isAsked);
    tools.lastChild.setAttribute("aria-pressed",isAsked);
    fit();
  }
  if(day&&courses(day).length){
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
  box.setAttribute("aria-label",box.dataset.title
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
  resets.push(()=>{
    const kept=[k,x,y];
    enlarge(false);
    draw();
    return()=>{[k,x,y]=kept;update()};
  });
  const at=point=>({x:(point.x*scale+left)*k+x,y:(point.y*scale+top)*k+y});
  const on=(leg,length)=>at(leg.path.getPointAtLength(length));
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
    legs.forEach((leg,index)=>ways(leg,index,put));
    milestones(put);
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
  // The kilometres or miles of each trip on foot or by bicycle, where they are apart.
  function milestones(put){
    const step=Number(box.dataset.l.split(" ")[2]);
    let trip=null,before=0;
    for(const leg of legs){
      if(leg.trip!==trip)before=0;
      trip=leg.trip;
      const apart=leg.metres?leg.length*scale*k*step/leg.metres:0;
      for(let n=Math.floor(before/step)+1;apart>40&&n*step<=before+leg.metres;n++){
        const point=on(leg,leg.length*(n*step-before)/leg.metres);
        if(!inside(point,8))continue;
        add(pins,"circle",{class:"milestone s-"+leg.style,cx:point.x,cy:point.y,r:2.4});
        add(pins,"text",{class:"halo ground-halo",x:point.x,y:point.y-6,"text-anchor":"middle"},n);
      }
      before+=leg.metres;
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
    const [near,nearName,far,farName]=box.dataset.l.split(" ");
    const isFar=limit>=Number(far),base=Number(isFar?far:near),most=limit/base;
    const power=10**Math.max(Math.floor(Math.log10(most)),0);
    const count=power*(most>=5*power?5:most>=2*power?2:1),step=count*base*metre;
    bar.setAttribute("d",`M16 ${height-21}v5h${step.toFixed(1)}v-5`);
    length.textContent=count+" "+(isFar?farName:nearName);
    if(box.dataset.tiles)return;
    let lines="";
    for(let a=((x%step)+step)%step;a<width;a+=step)lines+=`M${a.toFixed(1)} 0V${height}`;
    for(let b=((y%step)+step)%step;b<height;b+=step)lines+=`M0 ${b.toFixed(1)}H${width}`;
    grid.setAttribute("d",lines);
  }
  function tiles(){
    if(!box.dataset.tiles)return;
    const layer=grid,[originX,originY,each]=box.dataset.w.split(" ").map(Number);
    const step=each/scale,fromX=originX-left*step,fromY=originY-top*step;
    const depth=Math.min(Math.max(Math.round(Math.log2(k/(256*step))),0),19),count=2**depth;
    const side=k/(count*step),wanted=new Map();
    for(let b=Math.max(Math.floor((fromY-y/k*step)*count),0);b<count;b++){
      const down=(b/count-fromY)/step*k+y;
      if(down>height)break;
      for(let a=Math.floor((fromX-x/k*step)*count);;a++){
        const over=(a/count-fromX)/step*k+x;
        if(over>width)break;
        wanted.set(box.dataset.tiles.replaceAll("{z}",depth).replaceAll("{y}",b)
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
    else if(event.key==="Escape"&&isLarge())enlarge(false);
    else return;
    event.preventDefault();
  });
  let before=0;
  new ResizeObserver(()=>{
    if(box.clientWidth===before)return;
    before=box.clientWidth;
    requestAnimationFrame(fit);
  }).observe(box);
  addEventListener("resize",()=>{if(isLarge())fit()});
  fit();
  draw();
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
  restores=[];
  for(const details of all("details:not([open]):not(.day)")){
    details.open=true;
    restores.push(()=>{details.open=false});
  }
  restores.push(...resets.map(reset=>reset()));
});
addEventListener("afterprint",()=>{
  for(const restore of restores)restore();
  restores=[];
});
})();
